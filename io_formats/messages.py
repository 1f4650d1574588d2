"""Every sentence that a person reads, in one place.

Templates with `{named}` places for `FormatError` and `Report`; labels and descriptions of options stand
with the options, which are declared once. A sentence says what was expected and what can be done.
"""

# --- Any file -----------------------------------------------------------------------------------
TRUNCATED = "expected {expected} more bytes, found {found}; the file is cut short, get a complete copy"
COUNT_TOO_LARGE = "{count} records of {size} bytes do not fit into the {left} bytes left; the file is damaged"
BAD_VARINT = "expected a variable-length number of at most 10 bytes; the file is damaged"
BAD_TEXT = "expected UTF-8 text; the file is damaged"
EMPTY_FILE = "the file is empty; record or export it again"
UNKNOWN_FORMAT = "expected an MRTK recording, a W3D file, AnimX or AnimJ, recognised by content; this is none of them"
UNKNOWN_ENDING = (
    "expected a name that ends in .bin, .w3d, .animj or .animx, found the ending {found!r}; change the name"
)
TOO_MUCH_MEMORY = (
    "this takes {needed} MiB of memory or more, the limit is {limit}; "
    "raise the option Memory Limit (--memory-mib) or choose a smaller file"
)
FILE_TOO_LARGE = "the file has {size} bytes, more than the limit of {limit}; raise the size limit to open it"
CANNOT_OPEN = "the file cannot be opened: {reason}"
NOT_A_FILE = "expected a file, found something else of this name, such as a folder, a pipe or a device; choose a file"
NO_FILE_NAME = "no file can have this name; choose a file"
OUT_OF_MEMORY = "there is not enough memory for this; close other programs or choose a smaller file"
NO_MEMORY = "there is not enough memory for {size} bytes; close other programs or choose a smaller file"
OPTION_RANGE = "the option {name} goes from {low:.7g} to {high:.7g}, found {found}; choose a number in between"
OPTION_CHOICE = "the option {name} cannot be {found}; choose one of {choices}"
OPTION_SWITCH = "the option {name} cannot be {found}; choose on or off"
OPTION_WHOLE = "the option {name} cannot be {found}; choose a whole number"
OPTION_NUMBER = "the option {name} cannot be {found}; choose a number"
OPTION_TEXT = "the option {name} cannot be {found}; choose a text"
WRITE_EXISTS = "a file of this name exists already; choose another name, or allow overwriting (--overwrite)"
WRITE_TWICE = "{first} and {second} would both become this file; rename one, or choose another folder for it"
WRITE_NO_FOLDER = "this folder cannot be made: {reason}; choose another"
WRITE_FOLDER_MISSING = "the folder does not exist; make it or choose another"
WRITE_NOT_A_FILE = "something that is no file has this name, such as a folder; choose another name"
WRITE_DENIED = "the file or its folder may not be changed; allow it or choose another place"
WRITE_LOCKED = "another program holds the file; close it there and try again"
WRITE_NO_SPACE = "there is not enough room for {size} bytes; make room or choose another disk"
WRITE_DISK_FULL = "the disk is full; make room or choose another disk"
WRITE_BAD_NAME = "the system takes no such file name; choose a shorter or simpler one"
WRITE_DIFFERS = "the disk does not give back what was written to it; choose another disk"
WRITE_FAILED = "the file cannot be written: {reason}"
TRAILING_BYTES = "{size} bytes after the end of the data are kept but not used"
MORE_LIKE_THIS = "{count} more like this are not listed"

# --- MRTK input recordings ----------------------------------------------------------------------
MRTK_MAGIC = "expected the magic number of an MRTK input recording; choose a file that MRTK recorded"
MRTK_VERSION = (
    "expected a version up to 1.1, found {major}.{minor}; no MRTK 2 release reads that, record it again or update"
)
MRTK_NO_VERSION = (
    "expected a version number after the magic number; this is a dialect without one "
    "(recordings of hololens-tutorials), which MRTK does not read either; record it with MRTK itself"
)
MRTK_INCONSISTENT = "the document contradicts itself, so no file can be written; set this part as the version asks"
MRTK_LITERAL_KEYS = (
    "the keys have 28 bytes, as the public document says; MRTK itself reads 8 in version 1.1 and cannot open this file"
)
MRTK_NO_MARKERS = (
    "the list of markers at the end is missing, as in the public document; MRTK itself refuses such a file"
)

MRTK_NOT_FINITE = "a key whose time or value is no finite number is left out of the curves"
MRTK_UNSORTED = "keys out of order were sorted by time"
MRTK_REPAIRED_W = "the rotation lacked W, which MRTK 2.6.0 to 2.7.2 forget to record; it was rebuilt"
MRTK_ZERO_QUATERNION = "a rotation of all zeros keeps the direction of the rotation before it"
MRTK_ZERO_DIRECTION = "a gaze without direction points nowhere"
MRTK_LONG_TURNS = "neighbouring rotations have opposite signs but keys at different times, so the joint turns the long way, as in MRTK"

MRTK_NO_JOINTS = (
    "no bone has the name of an MRTK joint, such as IndexTip.L; rename bones or give the option Joint Names"
)
MRTK_JOINT_NAMES = (
    "expected pairs such as hand_l=Wrist.L separated by semicolons, each with a joint of MRTK, found {found}; "
    "correct the option Joint Names"
)
MRTK_JOINT_BONE = "the option Joint Names speaks of the bone {bone}, which this armature has not"
MRTK_CAMERA_STANDS = (
    "there is no camera, but players of version 1.0 always move theirs: one pose was written, in the origin, "
    "looking forward; add a bone Camera, or choose version 1.1"
)
MRTK_GAZE_NEEDS_1_1 = "version 1.0 cannot hold the gaze; choose version 1.1, or the option Drop Gaze"
MRTK_GAZE_DROPPED = "the gaze was left out, as version 1.0 cannot hold it"
MRTK_MARKERS_DROPPED = "a marker was left out, as the public document's layout has none"
MRTK_BONES_LEFT_OUT = "{number} animated bones or objects are no joints and carry none, and are left out: {names}"
MRTK_VALUES_LEFT_OUT = "{number} animated properties are left out, as recordings have none such: {names}"
MRTK_SCALE_DROPPED = "the scale of a joint was left out, as recordings have none"
MRTK_SHIFTED = "everything was moved by {seconds:.6g} s, so that the recording begins at 0"
MRTK_REAL_LAYOUT = "the file followed the public document; it is written in the layout that MRTK reads"
MRTK_STRAIGHTENED = (
    "curves were replaced by straight lines; largest error {millimetres:.4f} mm and {degrees:.4f} degrees"
)
MRTK_TOO_FAST = (
    "{names}: too fast for straight lines, which are off by up to {millimetres:.4f} mm and {degrees:.4f} degrees; slow the"
    " motion down, or choose version 1.0, which has curves"
)

# --- W3D ----------------------------------------------------------------------------------------
W3D_CHUNK_TOO_LARGE = "chunk {kind:#x} claims {size} bytes, {left} are left; the file is cut short or damaged"
W3D_OVERLONG_CHUNK = (
    "the last chunk, {kind:#x}, claims {size} bytes, {left} are left; the game reads such a file and it is kept so, "
    "but if it was cut short, get a complete copy"
)
W3D_NO_HEADER = "expected a header chunk inside; the engine takes no such chunk, the file is damaged"
W3D_HEADER_NOT_FIRST = "{chunk}: the header is not the first chunk inside; the game refuses such a file"
W3D_LITERAL_BITS = (
    "a visibility channel has a float for a default, as a public document has it; the game reads it otherwise"
)
W3D_LITERAL_CHANNEL = (
    "a compressed channel has 16-bit fields and separate time codes, as a public document has it; "
    "the game reads it otherwise"
)
W3D_UNKNOWN_MOTION = "a motion channel of version {version}, encoding {encoding} is kept but not played"
W3D_FEWER_PIVOTS = "the skeleton counts {expected} pivots but holds {found}; the rest is missing"
W3D_BAD_PARENT = "{pivots} pivots do not stand after their parent; they hang on the root instead"
W3D_OTHER_SKELETON = "the animation is for the skeleton {wanted}, {found} is used instead"
W3D_NO_SKELETON = (
    "no skeleton {name} was found; flat bones stand for its pivots, choose a skeleton file to see it right"
)
W3D_SKELETON_FOUND = "the skeleton {name} was taken from {file}"
W3D_SKELETON_UNREADABLE = "a skeleton file beside the animation was passed over: {reason}"
NO_ARCHIVE = "expected BIGF or BIG4 at the beginning; this is no archive of these games"
ARCHIVE_DAMAGED = "the list of the archive makes no sense from here on; the archive is damaged or cut short"
ARCHIVE_PASSED_OVER = "what an archive lists before its damage is used, the rest is passed over: {reason}"
ARCHIVE_NO_ENTRY = "the archive holds no file {name}; list the animations again"
ARCHIVE_PACKED = "the file is packed (RefPack) in its archive; unpack it with a tool for such archives"
ARCHIVE_ENTRIES_PACKED = "{file}: {entries} of its W3D files are packed (RefPack) and passed over"
LIBRARY_TOO_LARGE = "only the first {limit} files of {folder} are looked at; name the folders of the games themselves"
W3D_NOTHING_TO_SHOW = (
    "expected an animation or a skeleton, this W3D file holds neither (meshes: {meshes}, models: {models}, other "
    "chunks: {others}); choose the file with the animation, and open this one with an add-on for W3D models"
)
W3D_NO_ANIMATION = "the file holds a skeleton but no animation"
W3D_WHOLE_RATE = "W3D names whole rates only: the frames of {found:.6g} a second are written as {rate} a second"
W3D_NO_RATE = "the animation names no frames per second; 30 are assumed"
W3D_MORPH = "the morph animation {name} is kept but not played"
W3D_MISSING_PIVOT = (
    "{channels} channels are for pivots that the skeleton has not; the game drops them, so they are not played"
)
W3D_ROOT_CHANNEL = "{channels} channels are for the root pivot, which the game never animates; they are not played"
W3D_DUPLICATE_CHANNEL = "{channels} channels move what another channel already moves; the first of them plays"
W3D_EULER_CHANNEL = "{channels} Euler channels are not played, as in the game; an option plays them"
W3D_UNKNOWN_CHANNEL = "{channels} channels of type {type} with {width} numbers a key mean nothing to the game"
W3D_LATE_FIRST_KEY = (
    "{channels} channels have no key on frame 0, on which the game never comes back; the first key is held"
)
W3D_UNSORTED_KEYS = "{channels} channels have keys out of order; they are sorted"
W3D_ZERO_ROTATION = "{keys} rotations have no direction; they are played as no rotation"
W3D_NAME_TOO_LONG = "the name {name} does not fit: at most {limit} characters of Western Europe; choose another"
W3D_OTHER_HIERARCHY = (
    "the animation is for the skeleton {wanted}, the file to save into is for {found}; "
    "choose another file or give the option Hierarchy Name"
)
W3D_ADDED = "the animation {name} was added beside {others}; only one of the same name is replaced"
W3D_NOT_FOUND_BY_NAME = (
    "the game looks for the animation {name} in {name}.w3d and will not find it in {file}.w3d; "
    "give both one name of at most 15 characters"
)
W3D_NAME_SHORTENED = "the name {name} is written as {short}"
W3D_TOO_MANY_FRAMES = "the clip has {frames} frames, a W3D animation at most {limit}; export a part or a lower rate"
W3D_ROOT_MOTION = "the game never moves the root pivot {name}; its motion is written into its children"
W3D_NO_PIVOT = "{name} has no pivot in the skeleton, its animation is left out; include the skeleton to add it"
W3D_NO_SCALE = "the scale of {name} is left out; a pivot has none"
W3D_NOT_RIGID = (
    "{name} is stretched, mirrored or sheared, which pivots cannot be; all stands where it is seen, but at its own size and"
    " with turns that come nearest"
)
W3D_NO_PROPERTY = "{property} of {name} is left out; a pivot has no such channel"
W3D_DELTA_ERROR = (
    "adaptive delta: {channels} channels encoded, none is off by more than {degrees} degrees or {units} units"
)
W3D_DELTA_OFF = (
    "adaptive delta shows {pivots} pivots wrongly, by up to {degrees} degrees and {units} units; "
    "choose the form Timecoded, or Uncompressed, to have it right"
)
W3D_DELTA_OFF_MIDDLE_EARTH = (
    "adaptive delta shows {pivots} pivots wrongly, by up to {degrees} degrees and {units} units; "
    "choose the form Timecoded (Middle-earth) to have it right"
)
W3D_MESH_WITHOUT_SHAPE = "expected vertices and triangles in the mesh; it is damaged"
W3D_MODEL_DAMAGED = "a mesh is not shown, as it is damaged: {reason}"
W3D_MESH_UNLISTED = "meshes that no model of the file names are hidden: {names}"
W3D_SKIN_WITHOUT_SKELETON = (
    "the skin {name} is not shown: its skeleton {skeleton} was not found; put its file beside it"
)
TEXTURES_MISSING = "{textures} textures were not found and are shown as plain colours: {names}"
W3D_TRIANGLES_LEFT_OUT = "{name}: {triangles} triangles without three different vertices are left out"
W3D_CANNOT_WRITE = "a value does not fit its field in the file: {reason}"

# --- AnimX and AnimJ ----------------------------------------------------------------------------
ANIMX_MAGIC = "expected AnimX or the JSON of AnimJ; choose an .animx or .animj file"
ANIMX_VERSION = "expected version 0 or 1, found {version}; no release of the engine reads that, export it again"
ANIMX_ENCODING = "expected an encoding of 0 (plain), 1 (LZ4) or 2 (LZMA), found {encoding}; the file is damaged"
ANIMX_TRACK_TYPE = "expected a track type of 0 (Raw), 1 (Discrete) or 2 (Curve), found {found}; the file is damaged"
ANIMX_BEZIER_TRACK = "a track has the type Bezier, which the engine names but cannot read; export it again as a Curve"
ANIMX_VALUE_TYPE = "expected a value type of 0 to 39, found {found}; the file is damaged"
ANIMX_TOO_LARGE = "the data expand to {size} bytes or more, the limit is {limit}; raise the size limit to open it"
ANIMX_UNPACKED_SIZE = (
    "expected {expected} bytes after unpacking, found {found}; the file is cut short, get a complete copy"
)
ANIMX_LZ4_DAMAGED = "expected LZ4 data; the file is damaged, get a complete copy"
ANIMX_LZ4_FLAGS = "expected LZ4 chunk flags of 0 to 3, found {flags} ({passes} passes); the file is damaged"
ANIMX_LZ4_FRAME = "expected an LZ4 frame of version 1 without a dictionary; pack the file again"
ANIMX_LZMA_PROPERTIES = "expected LZMA properties below 225, found {properties}; the file is damaged"
ANIMX_LZMA_DAMAGED = "expected LZMA data; the file is damaged, get a complete copy"
ANIMX_DIALECT = "the version is one byte, as in the public document; the engine itself refuses such a file"
ANIMX_FRAME = "the tracks are an LZ4 frame, which the engine does not read; they are written as it wants them"
ANIMX_LZ4_AS_LZMA = "the tracks are LZ4 where the file says LZMA, as in the public document; the engine refuses that"
ANIMX_INTERPOLATION = "interpolation {found} is none that the engine knows; {taken} is taken instead"
ANIMX_ZERO_KEYS = (
    "the track {node} {property} has no keys, on which the engine is said to crash; it is left out of the curves"
)
ANIMX_BAD_TEXT = "a name or text is no UTF-8; the bytes are kept, question marks are shown"
ANIMX_SETTING = "expected a version of 0 or 1, a container of plain, lz4 or lzma and a known order, found {found}"
ANIMX_DOUBLE_TRACK = "{node} {property} stands twice in the file; the first plays, the others are kept"
ANIMX_SINGLE_PRECISION = (
    "{values} values of {node} {property} need more digits than Blender keeps; the file's own are kept"
)
ANIMX_NO_INTERVAL = "the keys of {node} {property} lie an interval of {interval} apart; only the first is shown"
ANIMX_STRINGS = "the texts of {node} {property} cannot be animated; they are shown as markers and kept"
ANIMX_LONG_TURNS = "{node} turns the long way round between neighbouring rotations, as in the engine"
ANIMX_WRAPS = (
    "the curves of {properties} properties repeat, which the file cannot say; the repetition is written out as keys"
)
ANIMX_UNBOUND = (
    "{tracks} tracks have names under which the engine finds no field, so they come last ({names}); drive their fields by "
    "reference, or leave them out by the option Unbound Tracks"
)
ANIMX_UNBOUND_LEFT_OUT = "{tracks} tracks under whose names the engine finds no field are left out, as asked ({names})"
ANIMX_SAME_NAME = "two nodes are called {name}, the second is written as {other}; give them different names and export the model again"
ANIMX_SAME_AXIS = "expected two different axes, found {forward} for forward and {up} for up"
ANIMX_NODE_NAMES = "expected pairs such as Hips=Root separated by semicolons, found {found}"
ANIMX_NO_SUCH_NODE = "Node Names has names for what is not exported: {names}; nothing is renamed for them"
ANIMX_REFITTED = "{keys} keys were added where handles had to be fitted to thirds; largest error {error:.2g}"
ANIMX_LINEARISED = "curves were replaced by straight lines; largest error {error:.2g}"
ANIMX_THINNED = (
    "{properties} properties move faster than anybody sees; they have 10 keys for each frame, off by up to {error:.2g}"
)
ANIMX_TOO_FAST = (
    "{name} moves faster than {most:.0f} keys a second can follow; it is off by up to {error:.2g}; slow it down to have it"
    " exactly"
)
ANIMX_FITS_GLTF = "the file fits a model that Blender exported as glTF with +Y Up, its default"
ANIMX_FITS_FBX = (
    "the file fits a model that Blender exported as FBX with Apply Scalings: FBX Units Scale and default axes"
)
ANIMX_FITS_FBX_CM = (
    "the file fits a model that Blender exported as FBX with Apply Scalings: All Local and default axes, its defaults"
)
ANIMX_FITS_LENSES = (
    "cameras and lights are turned as in such a model; include them in it (in a glTF: Cameras, Punctual Lights)"
)
ANIMX_MARKERS = "{markers} markers are left out; the file has no place for them"
ANIMX_UNKNOWN_PROPERTY = "{property} of {node} means nothing to the engine and is left out"
ANIMX_TWO_VISIBILITIES = "{node} is hidden at other times in renders than in the viewport; Active follows the viewport, the renders are left out"
ANIMX_LENS = "the focal length of {node} is sampled as a field of view for a 36 mm sensor, 16:9"
ANIMX_NOT_FINITE = (
    "{values} numbers of {node} {property} are infinite or none at all, which JSON cannot hold; finite ones stand in"
)
ANIMX_BAD_RANGE = "{values} values do not fit the type {type} and were limited"
ANIMX_MATRICES = "{node} {property} holds matrices, which the engine reads from AnimX only"
ANIMJ_NOT_JSON = "expected JSON: {reason}; the file is damaged or no AnimJ"
ANIMJ_NESTED = "lists or objects are nested too deeply; this is no AnimJ"
ANIMJ_DIGITS = "expected a number of at most {limit} digits, found one of {count}; export the file again"
ANIMJ_NOT_A_NUMBER = "{name} is no number in JSON; export the file again without it"
ANIMJ_EXPECTED = "expected {expected}, found {found}; export the file again"
ANIMJ_MISSING = "expected the key {key}; export the file again"
ANIMJ_TRACK_TYPE = "expected Raw, Discrete or Curve, found {found}; export the file again"
ANIMJ_VALUE_TYPE = "expected a type such as float3 or floatQ, found {found}; export the file again"
ANIMJ_RANGE = "expected a whole number from {low} to {high}, found {found}; export the file again"
ANIMJ_INTERPOLATION = "the interpolation {found} is none that the engine knows; Linear is taken instead"
ANIMJ_IGNORED = "the key {key} means nothing to the engine and is ignored"
ANIMJ_ORDER = "a track does not begin with trackType, valueType, data; the engine may refuse the file"
ANIMJ_COLORX = "a colour has a profile, which the engine does not take in AnimJ; its numbers are used as they are"

# --- Curves and space ---------------------------------------------------------------------------
KEYS_NOT_FINITE = "a key whose time or value is not a finite number was left out"
KEYS_SORTED = "keys that were not in order of time were sorted"
HANDLES_NOT_FINITE = "a segment with an infinite handle was made constant"
VALUES_LIMITED = "a value beyond the range of single precision was limited"
TRACKS_SAMPLED = (
    "{tracks} channels were sampled, as their parents move differently; between the samples they are off by at most"
    " {place:.2g} and {degrees:.2g} degrees"
)
TRACKS_ON_FRAMES = (
    "{tracks} channels were sampled on each frame, as their parents move differently or have a size that the file"
    " cannot say; half way between frames they are off by at most {place:.2g} and {degrees:.2g} degrees"
)
TRACKS_TOO_FAST = (
    "{names}: too fast for samples; between them the pose is off by up to {place:.2g} and {degrees:.2g} degrees; slow the"
    " motion down or raise the frame rate"
)
TRACKS_REFITTED = "{keys} keys were added where weighted handles had to be fitted again; largest error {error:.2g}"
WRAPS_DROPPED = "a repeating curve was held instead, as it had to be joined with curves of another length"
JOINTS_FOLLOWED = (
    "{bones} bones turn to where the file's joints point and keep their lengths, "
    "baked at the {moments} times at which any of these joints has a key"
)
JOINT_CONNECTED = "the bone {name} is connected to its parent and cannot leave it; disconnect it to follow the position"
SHEAR_DROPPED = "the shear of {node} cannot be kept, only its location, rotation and scale"

# --- In Blender ---------------------------------------------------------------------------------

# Importing and exporting
IMPORT_NEEDS_SCENE = "Importing needs a scene with a view layer"
EXPORT_NEEDS_ARMATURE = "Nothing to export: the scene has no armature; import one or add one"
EXPORT_NEEDS_OBJECT = "Nothing to export: select an object with bones, animation or shape keys"
EXPORT_SEVERAL = "the scene has several armatures ({names}) and none of them is selected; select what is to be exported"
EXPORT_ONE_ARMATURE = (
    "a file of this format holds one armature, and several are chosen ({names}); select one of them, "
    "or choose One File Each for Several Armatures"
)
ACTIONS_STILL = "nothing moves in these Actions, no file was written for them: {names}"
NOTHING_MOVES = (
    "nothing that is chosen moves ({names}): it has no keys, NLA strips, drivers or constraints that a file can hold; "
    "select what is animated, or key its pose first"
)
NOTHING_WRITTEN = (
    "nothing of what is animated has a place in a file of this format; choose another format or select what it can hold"
)
NO_SUCH_OBJECT = "there is no object of the name {name}; choose one that the file has"
NO_FILE_CHOSEN = "No file is chosen; choose one or more files"
NAME_TABLE_TOO_LARGE = (
    "the file has {size} bytes, more than the {limit} that a table of names can have; choose the table"
)
NO_NAME_TABLE = "expected a table of names saved by this add-on (JSON)"
OTHER_FORMAT = "this is a file of the kind {found}, not {wanted}; import it with the command of its kind"
PROGRESS = "{done} of {total}: {name} (ESC stops after this file)"
NOTHING_IMPORTED = "Nothing was imported"
BATCH_STOPPED = "Stopped; what was imported so far stays, undo removes it"
COPY_HINT = "To copy: point at the field and press Ctrl+C"
HANDS = ("{count} hand", "{count} hands")
JOINTS = ("{count} joint", "{count} joints")
ANIMATIONS = ("{count} animation", "{count} animations")
PIVOTS = ("{count} pivot", "{count} pivots")
NODES = ("{count} node", "{count} nodes")
TRACKS = ("{count} track", "{count} tracks")
KEYS = ("{count} key", "{count} keys")
ACTIONS = ("{count} Action", "{count} Actions")
WARNINGS = ("{count} warning", "{count} warnings")
FIRST_HAND = "first hand on frame {frame}"
FIRST_SHOWN = "first to be seen on frame {frame}"
RESTING_TOGETHER = "bones without parents, at rest in one place"
SECONDS = "{seconds} s"
FILES_OF = "{done} of {total} files"
SKIPPED_SEE_TEXT = "{count} skipped (see Text '{text}')"
FILE_FACTS = "{rate} frames per second, {seconds} s"
FILE_FACTS_NO_RATE = "No rate of its own, {seconds} s"

# Into the scene
RATE_SET = "The scene's rate is now {rate} frames per second"
ARMATURE_TOO_DEEP = (
    "the chain of bones that ends in {name} is {depth} long, Blender crashes on very long ones and {limit} are taken; "
    "divide the skeleton"
)
NO_EDIT_MODE = "Blender did not enter Edit Mode for the new armature; leave the mode you are in and import again"
TARGET_NONE = "The target Selected Armature needs an active armature; select one or choose another target"
TARGET_LINKED = "The armature {name} is linked from another file; make a library override of it first"
TARGET_NO_MATCH = "No bone or object has a name of this file; choose another target"
TARGET_NEW = "Made the armature {name}"
NODES_WITHOUT_PARENTS = (
    "The file names no parents, so the {bones} bones of {name} rest in one place and only move apart as it plays; "
    "to move a model, select its armature and import again"
)
TARGET_IS_SELECTED = "{name} was taken, as it is selected"
TARGET_MOVES_SELECTED = "{name} was taken, as it moves what is selected"
TARGET_HAS_NAME = "{name} was taken, as it has the name of the file's skeleton"
TARGET_NONE_MEANT = (
    "It is new, as no armature is selected, moves what is selected or has the name of the file's skeleton"
)
TARGET_NEW_FEW = (
    "It is new, as only {matched} of {total} names match {name}; "
    "choose the target Selected Armature, or give a name table, to use that"
)
TARGET_NEW_LINKED = "It is new, as {name} is linked from another file; make a library override of that to use it"
TARGET_USED = "Animated {name}: {matched} of {total} names match"
HAND_UNCLEAR = "by their numbers, bones can be one joint of a finger or the next and are left out: {names}; say which they are in Name Table or Joint Names"
HAND_SIDELESS = (
    "bones of a hand name no side and are left out: {names}; say which hand it is with the option Hand Without Side"
)
NODES_UNMATCHED = "{number} animated names have no bone or object and are left out: {names}"
ROTATION_MODE_SET = "The rotation mode of a bone or object is now Quaternion, as the file's curves need"
NODES_REBASED = "The rest pose differs from the file's; its motion is converted"
DOUBLE_TRACK = "{node} {property} stands twice in the file; the first plays, the other is kept"
OBJECTS_MADE = "{number} nodes have no object of that name; empties stand for them"
SHAPE_KEY_RANGE = "The range of the shape key {name} was widened for the file's values"
ACTION_REPLACED = "Replaced the Action {name}"
NO_VIEW_LAYER = "The scene {name} has no view layer that can be changed; import into another scene"
# Out of the scene: what has no place
LEFT_OUT_OBJECTS = "{values} animated values of other objects are left out, as the file holds one armature: {names}"
LEFT_OUT_SHAPE_KEYS = "{values} animated shape keys are left out, as the file has no place for them: {names}"
LEFT_OUT_DATA = (
    "{values} animated values of meshes, lights, cameras or other data are left out, "
    "as the file has no place for them: {names}"
)
LEFT_OUT_MATERIALS = "{values} animated values of materials are left out, as the file has no place for them: {names}"
LEFT_OUT_NODES = "{values} animated values of node groups are left out, as the file has no place for them: {names}"
LEFT_OUT_WORLD = "{values} animated values of the world are left out, as the file has no place for them: {names}"
LEFT_OUT_MODIFIERS = "{values} animated values of modifiers are left out, as the file has no place for them: {names}"
LEFT_OUT_CONSTRAINTS = (
    "{values} animated values of constraints that do not show in the pose are left out, "
    "as the file has no place for them: {names}"
)
LEFT_OUT_PARTICLES = "{values} animated values of particles are left out, as the file has no place for them: {names}"
LEFT_OUT_OTHER = "{values} other animated values are left out, as the file has no place for them: {names}"
LEFT_OUT_NOWHERE = "{values} curves lead to bones or properties that are not there, and are left out: {names}"
# Out of the scene: why something is sampled, or is no longer the file's
CAPTURED = "Keys of {keyed} channels, {baked} sampled"
CAPTURE_CONSTRAINT = "{name}: the constraint {constraint} takes part in its pose"
CAPTURE_IK = "{name}: the inverse kinematics of {tip} move it"
CAPTURE_DRIVER = "{name}: a driver sets its {path}"
CAPTURE_NLA = "{name}: the NLA takes part in its motion"
CAPTURE_INHERITANCE = "{name}: it does not inherit everything from its parent"
CAPTURE_PARENT = "{name}: it follows {parent}, which moves"
CAPTURE_DELTA = "{name}: it has delta transforms besides its own"
CAPTURE_OBJECT_MOVES = "{name}: the object itself moves"
CAPTURE_ROTATION_MODE = "{name}: its rotation is not kept as a quaternion"
CAPTURE_CONNECTED = "{name}: a connected bone does not move from its parent's tip, whatever its curves say"
CAPTURE_MODIFIER = "{name}: its curve {path} is more than keys"
CAPTURE_CLAMPED = "{name}: {path} is kept to its limits, beyond which its curve goes"
CAPTURE_SHAPE_MUTED = "{name}: the shape key {shape} is muted"
CAPTURE_SHARP = (
    "{name}: its curve {path} eases more sharply than keys can follow; for less than a hundredth of a frame it is off by"
    " up to {error:.2g}"
)
CAPTURE_COARSE = (
    "{name}: moves faster than it is sampled; between the samples it is off by up to {error:.2g}; fewer frames, or keys"
    " instead of constraints, make it exact"
)
CAPTURE_COARSE_TURN = (
    "{name}: turns faster than it is sampled; between the samples it is off by up to {error:.2g} degrees; fewer frames, or"
    " keys instead of constraints, make it exact"
)
CAPTURE_REST_POSITION = (
    "{name} is shown in its rest position; the file plays its animation, as the viewport does after Pose Position: Pose"
)
CAPTURE_MUTED = "{name}: its curve {path} is muted"
CAPTURE_POSED = "{name}: it is posed without keys"
CAPTURE_FORCED = "every channel is sampled, as asked"
CAPTURE_REST = "{name}: its rest pose or parent is another"
CAPTURE_TRANSFORM = "{name}: the object was moved"
CAPTURE_CONTEXT = "{name}: it is not as it was imported"
CAPTURE_NO_SPACE = "the place, size or rest pose of {name} is zero, infinite or no number; correct it before you export"
CAPTURE_RATE = "The scene runs at {rate} frames per second, the keys were placed at {old}; what plays is exported"
CAPTURE_CURVES_GONE = "{count} curves of the file are gone"
CAPTURE_EDITED = "{count} curves are not as they were imported"
CAPTURE_RANGE = "the frame range is another"
CAPTURE_MARKERS = "the markers are others"
CAPTURE_CUT = "{count} keys lie outside frames {first:g} to {last:g} and are not written"
CAPTURE_MARKERS_CUT = "{count} markers lie outside the frames that are exported and are not written"
CAPTURE_UNENDING = (
    "{count} properties go on after the last key but end in the file; choose Bake to the End of the Scene to write more"
)
CAPTURE_STILL = "{moving} of {total} chosen objects move and are written; the others stand still: {names}"
CAPTURE_FORBIDDEN = "constraints, drivers or NLA take part, but only keys are exported, as asked"
TOOL_NEEDS_ACTION = "Needs an Action that was imported from an animation file"
TOOL_IN_ARCHIVE = "The file lies in an archive, which is only read; use File > Export"
TOOL_NO_FILE = "It is not known which file this Action came from; use File > Export"
ALL_EXACT = "All {curves} F-Curves are as imported"
SOME_EXACT = "{untouched} F-Curves are as imported, {changed} are changed: {names}"
RATE_CONVERTED = "{keys} moved"
PANEL_EXACT = "{untouched} F-Curves are as imported"
PANEL_CHANGED = "{changed} F-Curves are changed:"
PANEL_NO_FOLDERS = "Name the game's folders in the preferences"
PANEL_FRAMES = "{frames} at {rate}/s"
LIST_FILTER = "Filter"
LIST_FILTER_ABOUT = "Only animations whose name or file has this in it"
LIST_CHOSEN_ABOUT = "Import this animation with the others that are ticked"
LIST_NEEDS_ARMATURE = "Select an armature first"
LIST_FOUND = "{animations} for {names}"
LIST_NONE = "No animation in the game folders is for {names}"
LIST_EMPTY = "Nothing is selected in the list; list the animations and choose some"
PANEL_NO_ORIGIN = "Not imported from an animation file"
PANEL_FILE = "File"
PANEL_FORMAT = "Format"
PANEL_VERSION = "Version"
PANEL_CLIP = "Clip"
PANEL_FILE_RATE = "File's Rate"
PANEL_RATE = "Placed at"
PANEL_KEYS = "Keys"
PANEL_NOT_KEPT = "The file was not kept; exports are computed anew"
PANEL_TEXT_GONE = "The kept file is gone; exports are computed anew"
PANEL_OTHER_RATE = "The scene now runs at {rate}"
SOURCE_GONE = "The kept bytes of {file} are gone or damaged; everything is computed anew"
EXACT = "byte for byte"
NOTHING_EXPORTED = "Nothing was exported: no Action belongs to what is selected"
REPLACES = ("This file exists already and would be replaced:", "{count} files exist already and would be replaced:")
FILES_WRITTEN = ("{count} file", "{count} files")
SAME_AXIS = "Forward ({forward}) and Up ({up}) need different axes; change one of them"
TABLE_NEEDS_RIG = "Select an armature that plays an imported Action whose file was kept"
TABLE_SAVED = "{matched} of {total} names have a bone; the others are there to be filled in"

# --- Command line -------------------------------------------------------------------------------
CLI_DESCRIPTION = "Read, convert and check MRTK input recordings, W3D animations, AnimX and AnimJ"
CLI_INFO = "tell what files hold"
CLI_JSON = "print lines of JSON, one for each result as soon as it is known"
CLI_OVERWRITE = "replace files that exist already"
CLI_INTERRUPTED = "Interrupted; what was done before is complete"
CLI_NO_OUTPUT = "the output cannot be written: {reason}; make room or send it elsewhere"
CLI_CONVERT = "convert a file into another format, chosen by the ending of OUT"
CLI_NOT_FOR_CONVERT = (
    "{flag} is about a scene in Blender, which a conversion has not; leave it out, "
    "or import and export with blender --command anim_curves"
)
CLI_NOT_OF_FORMAT = "{flag} is no option for this file ({formats}); leave it out"
CLI_VERIFY = "read and write files in memory and compare"
CLI_VERIFIED = "{file}: written again, the same"
CLI_DIFFERS = "{file}: written again, it differs from byte {offset} on; keep the original and report this file"
CLI_WRITTEN = "{file}: written"
# blender --command anim_curves
CLI_IMPORT = "import files, each into a .blend of its own"
CLI_EXPORT = "export the animation of .blend files"
CLI_CONVERT_MANY = "convert files into another format, without Blender's scene in between"
CLI_FILES = "file, pattern such as 'walks/*.w3d', or folder"
CLI_OUTPUT = "folder for what is written, by default beside each file"
CLI_JOBS = "number of processes at a time, up to four for each core"
CLI_JOBS_RANGE = "goes from 1 to {most}, four for each core"
CLI_RESUME = "results (--json) of an earlier run of this command: files that it finished are left out"
CLI_PART = (
    "only this part of the files, such as 3/100, so that several machines share a folder; each file is in one part"
)
CLI_PART_RANGE = "goes from 1/N to N/N, such as 3/100"
CLI_EXIT_ZERO = (
    "exit code 0 also when files failed, for engines that would try a failed task again; the results say which did"
)
CLI_INTO = ".blend that is opened first, for a rig that is to receive the animation"
CLI_TO = "ending of the format to write; by default the one that the Action came from"
CLI_OBJECT = "name of the object to export, by default the selected or only armature"
CLI_DONE = "{file}: {output}: {digest}"
CLI_LOST = "{file}: the process that worked on it ended early: {reason}"
