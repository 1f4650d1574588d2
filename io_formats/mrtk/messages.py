"""What is said of MRTK input recordings."""

NOT_A_RECORDING = "{file} is not an MRTK recording"
MAGIC = "expected the magic number of an MRTK input recording; choose a file that MRTK recorded"
VERSION = "expected a version up to 1.1, found {major}.{minor}; no MRTK 2 release reads that, record it again or update"
NO_VERSION = (
    "expected a version number after the magic number; this is a dialect without one "
    "(recordings of hololens-tutorials), which MRTK does not read either; record it with MRTK itself"
)
INCONSISTENT = "the document contradicts itself, so no file can be written; set this part as the version asks"
LITERAL_KEYS = (
    "the keys have 28 bytes, as the public document says; MRTK itself reads 8 in version 1.1 and cannot open this file"
)
NO_MARKERS = "the list of markers at the end is missing, as in the public document; MRTK itself refuses such a file"
REPAIRED_W = "the rotation lacked W, which MRTK 2.6.0 to 2.7.2 forget to record; it was rebuilt"
LACKS_W = "the rotation lacks W, as in the source, and MRTK plays it wrong; choose Repaired Rotations"
ZERO_QUATERNION = "a rotation of all zeros keeps the direction of the rotation before it"
ZERO_DIRECTION = "a gaze without direction points nowhere"
LONG_TURNS = "neighbouring rotations have opposite signs but keys at different times, so the joint turns the long way, as in MRTK"
NO_JOINTS = "no bone has the name of an MRTK joint, such as IndexTip.L; rename bones, or use the option Joint Names, or Sideless Hand where bones name no side"
JOINT_NAMES = (
    "expected pairs such as hand_l=Wrist.L separated by semicolons, each with a joint of MRTK, found {found}; "
    "correct the option Joint Names"
)
JOINT_BONE = "the option Joint Names names the bone {bone}, which this armature does not have"
CAMERA_STANDS = "there is no camera, but players of version 1.0 always move theirs: one pose was written, at the origin, looking forward; add a bone Camera, or choose version 1.1"
GAZE_NEEDS_1_1 = "version 1.0 cannot hold the gaze; choose version 1.1, or the option Drop Gaze"
GAZE_DROPPED = "the gaze was left out, as version 1.0 cannot hold it"
BONES_LEFT_OUT = (
    "{number} animated {number:bone or object is left out, as it is no joint and moves|bones or objects "
    "are left out, as they are not joints and move} none: {names}"
)
VALUES_LEFT_OUT = (
    "{number} animated {number:property is|properties are} left out, as recordings cannot hold "
    "{number:it|them}: {names}"
)
SCALE_DROPPED = "the scale of a joint was left out, as recordings do not hold scale"
NEVER_TRACKED = (
    "the hand of {wrist} moves, but its property tracked is never on, so MRTK does not show it; insert a key on tracked in "
    "{wrist} where the hand is to be seen"
)
HAND_GONE = "{wrist} and its hand have no keys any more, so MRTK does not show them"
JOINTS_LACKING = (
    "{number} {number:joint of a hand has|joints of hands have} no keys, so MRTK shows {number:it|them} in the origin; "
    "add {number:a bone of this name|bones of these names}: {names}"
)
SHIFTED = "everything was moved by {seconds:.6g} s, so that the recording begins at 0"
OTHER_VERSION = (
    "version {version} was written, of sources of version {others}; MRTK up to 2.5 reads 1.0 alone, without the gaze: "
    "choose it as Version where that is to play the file"
)
REAL_LAYOUT = "the file followed the public document; it is written in the layout that MRTK reads"
STRAIGHTENED = "curves were replaced by straight lines; largest error {millimetres:.2g} mm and {degrees:.2g} degrees"
TOO_FAST = (
    "{names}: too fast for straight lines, which are off by up to {millimetres:.3g} mm and {degrees:.3g} degrees; slow the"
    " motion down, or choose version 1.0, which has curves"
)
HANDS = ("{count} hand", "{count} hands")
JOINTS = ("{count} joint", "{count} joints")
FIRST_HAND = "first hand on frame {frame}"
