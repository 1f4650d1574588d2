"""What is said of clips: curves, rests, names of bones."""

KEYS_NOT_FINITE = "a key whose time or value is not a finite number was left out"
KEYS_SORTED = "keys that were not in order of time were sorted"
HANDLES_NOT_FINITE = "a segment with an infinite handle was made constant"
VALUES_LIMITED = "a value beyond the range of single precision was limited"
TRACKS_SAMPLED = "{tracks} {tracks:channel was|channels were} worked out anew, as {tracks:its|their} parents differ; error between the new keys at most {place:.3g} mm, {degrees:.2g} degrees"
TRACKS_ON_FRAMES = "{tracks} {tracks:channel was|channels were} worked out on each frame, as {tracks:its|their} parents move differently or have a size that the file cannot say"
TRACKS_TOO_FAST = "{names}: too fast for samples; between them the pose is off by up to {place:.3g} mm and {degrees:.2g} degrees; slow the motion down or raise the frame rate"
SMOOTHED = "Smooth moved keys by at most {place:.2g} mm and {degrees:.2g} degrees"
RESAMPLED = (
    "Whole Frames puts keys on frames; between them the motion is at most {place:.2g} mm and {degrees:.2g} degrees off"
)
RESAMPLE_LEFT = "{curves} {curves:curve keeps keys between frames in spite of Whole Frames, as it repeats|curves keep keys between frames in spite of Whole Frames, as they repeat} after a time that is no whole number of frames; another frame rate or start frame may suit {curves:it|them}"
CYCLIC = "The Action is marked as cyclic, as it repeats or ends as it begins"
SEAM_CLOSED = "Close the Loop made {channels} {channels:location, rotation or scale end as it begins; its last key|locations, rotations and scales end as they begin; their last keys} moved by at most {place:.2g} mm and {degrees:.2g} degrees, and an export writes that"
SEAM_OPEN = "{names}: the end is up to {place:.3g} mm and {degrees:.3g} degrees from the beginning, more than Close the Loop may move it, so a loop jumps there; raise its limits, or leave it where the root moves on"
THINNED = (
    "Fewer Keys kept {kept:,} of {total:,} keys; the motion is at most {place:.2g} mm and {degrees:.2g} degrees off"
)
TRACKS_REFITTED = "{name}: {keys} {keys:key was|keys were} added where weighted handles had to be fitted again; largest error {percent:.2g} % of a curve's range"
WRAPS_DROPPED = "a repeating curve was held instead, as it had to be joined with curves of another length"
WRAPS_WRITTEN_OUT = (
    "repeating curves were written out as far as the animation goes where they are joined with curves of another length"
)
JOINTS_FOLLOWED = "{bones} {bones:bone turns to where the file's joint points and keeps its length|bones turn to where the file's joints point and keep their lengths}, baked at the {moments} times at which any of these joints has a key"
SHEAR_DROPPED = "the shear of {node} cannot be kept, only its location, rotation and scale; its axes are off by up to {degrees:.2g} degrees"
FRAMES_BEYOND = "the animation has {frames} {frames:frame|frames}, so First Frame and Frame Count ask for some that it has not; choose smaller numbers"
WHOLE_RATE = "the format has whole frame rates only: {found:.6g} frames per second are written as {rate}"
BAD_PARENT = (
    "{pivots} {pivots:pivot precedes its parent and is|pivots precede their parent and are} attached to the root"
)
OTHER_SKELETON = "the animation is for the skeleton {wanted}, {found} is used instead"
NO_SKELETON = "the skeleton {name} was not found; bones without parents stand in for its pivots; choose a skeleton file to see the real pose"
ROOT_MOTION = "the game never moves the root pivot {name}; its motion is written into its children"
ROOT_ALONE = "the game never moves the root pivot {name}; its motion is left out, as nothing is parented to it"
ANOTHER_SIZE = "the file's skeleton is {size:.3g} times as large as the armature, whose size its pivots are moved to; with the option Scale {size:.3g} times what it is now, the figure keeps its own"
STANDS_ELSEWHERE = (
    "{name} does not stand at the world's origin, and its place is written into the motion; Space: Local leaves it out"
)
SKELETON_NOT_A_TREE = "the skeleton cannot be written: expected each bone once, after the bone that it is parented to, found {name} twice or too early; rename it, or parent it to another bone"
MARKERS = "{markers} {markers:marker is|markers are} left out; the file has no place for {markers:it|them}"
NAME_CHANGED = "the name {name} is written as {short}"
NO_PIVOT = "{names} {number:has|have} no pivot in the skeleton, {number:its|their} animation is left out; name bones as their pivots, choose a skeleton that has them, or include the armature's"
NO_PIVOT_CARRIES = "{names} {number:has|have} no pivot in the skeleton, {number:its|their} motion is written into the pivots below; name bones as their pivots, choose a skeleton that has them, or include the armature's"
SKELETON_REFERRED = "the file refers to the skeleton {name} and does not hold it again; Skeleton: Include adds it"
SKELETON_CHANGED = "the skeleton {name}, left out, has other bones or another size than in its file; include it, or choose Skeleton File"
RENUMBERED = "pivots have other numbers than in the skeleton's own file, as bones of it are gone or hang on new ones; choose that file as Skeleton File if the game has it"
OTHER_HIERARCHY = "the animation is for the skeleton {wanted}, the file to save into is for {found}; choose another file or give the option Hierarchy"
NO_PROPERTY = "{property} of {name} is left out; a pivot has no such channel"
NO_SCALE = "the scale of {name} is left out; a pivot has none"
NOT_RIGID = "{name} is stretched, mirrored or sheared, which pivots cannot be; everything keeps its position, but has its own size and the nearest possible rotation"

NAME_TABLE_TOO_LARGE = (
    "the file has {size} bytes, more than the {limit} that a table of names can have; choose the table"
)
NO_NAME_TABLE = "expected a table of names saved by this add-on (JSON)"
HAND_UNCLEAR = "the numbers of some finger bones fit two different joints, so these bones are left out: {names}; say which joints they are in Name Table or Joint Names"
HAND_SIDELESS = "the names of some hand bones do not say left or right, so these bones are left out: {names}; choose the hand with the option Sideless Hand"
SAME_AXIS = "Forward ({forward}) and Up ({up}) need different axes; change one of them"

# --- Channels of pivots, for formats that have them ---------------------------------------------

SKELETON_UNREADABLE = "a skeleton file beside the animation was passed over: {reason}"
NO_ANIMATION = "the file holds a skeleton but no animation"
ANIMATION_ADDED = "the animation {name} was added beside {others}; only one of the same name is replaced"
TOO_MANY_FRAMES = "the clip has {frames} frames, such a file at most {limit}; export a part or a lower rate"
NO_RATE = "the animation has no frame rate; 30 frames per second are assumed"
ROOT_CHANNEL = "{channels} {channels:channel is|channels are} for the root pivot, which the game never animates; {channels:it is|they are} not played"
DUPLICATE_CHANNEL = "{channels} {channels:channel is|channels are} not played, as another channel moves the same"
ZERO_ROTATION = "{keys} {keys:rotation is|rotations are} all zeros; {keys:it is|they are} played as no rotation"
