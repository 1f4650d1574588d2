"""What is said of W3D files."""

NOT_W3D = "{file} is not a W3D file"
CHUNK_TOO_LARGE = "chunk {kind:#x} claims {size} bytes, {left} are left; the file is cut short or damaged"
OVERLONG_CHUNK = "the last chunk, {kind:#x}, claims {size} bytes, {left} are left; the game reads such a file and it is kept as it is, but if it was cut short, get a complete copy"
NO_HEADER = "expected a header chunk inside; the engine refuses a chunk without one, the file is damaged"
LITERAL_BITS = (
    "a visibility channel has a float for a default, as a public document describes it; the game reads it differently"
)
LITERAL_CHANNEL = "a compressed channel has 16-bit fields and separate time codes, as a public document describes it; the game reads it differently"
RANGE = "a channel ends before it begins, or after the animation; what has no frame there is kept but not played"
BASE_NO_NUMBER = "the place or turn at which a pivot rests is no number; it is kept and taken for none"
UNKNOWN_FLAVOR = "a compressed channel of flavor {flavor} is kept but not played"
UNKNOWN_MOTION = "a motion channel of version {version}, encoding {encoding} is kept but not played"
FEWER_PIVOTS = "the skeleton counts {expected} pivots but holds {found}; the rest is missing"
NO_ARCHIVE = "expected BIGF or BIG4 at the beginning; this is not an archive of these games"
ARCHIVE_DAMAGED = "the list of the archive makes no sense from here on; the archive is damaged or cut short"
ARCHIVE_PASSED_OVER = "what an archive lists before its damage is used, the rest is passed over: {reason}"
ARCHIVE_NO_ENTRY = "the archive holds no file {name}; list the animations again"
ARCHIVE_PACKED = "the file is packed (RefPack) in its archive; unpack it with a tool for such archives"
ARCHIVE_ENTRIES_PACKED = "{file}: {entries} of its W3D files are packed (RefPack) and passed over"
NOTHING_TO_SHOW = (
    "expected an animation or a skeleton, this W3D file holds neither (meshes: {meshes}, models: {models}, other "
    "chunks: {others}); choose the file with the animation"
)
MORPH = "the morph animation {name} is kept but not played"
MISSING_PIVOT = (
    "{channels} {channels:channel is|channels are} for pivots that the skeleton does not have; the game "
    "drops {channels:it, so it is|them, so they are} not played"
)
EULER_CHANNEL = "{channels} Euler {channels:channel is|channels are} not played, as in the game"
UNKNOWN_CHANNEL = (
    "{channels} {channels:channel|channels} of type {type} with {width} numbers a key "
    "{channels:means|mean} nothing to the game"
)
LATE_FIRST_KEY = (
    "{channels} {channels:channel has|channels have} no key on frame 0, on which the game hangs; the first key is held"
)
UNSORTED_KEYS = "{channels} {channels:channel has|channels have} keys out of order; they are sorted"
NAME_TOO_LONG = "the name {name} does not fit: names have at most {limit} Western European characters; choose another"
NOT_FOUND_BY_NAME = (
    "the game looks for the animation {name} in {name}.w3d and will not find it in {file}.w3d; "
    "give both one name of at most 15 characters"
)
NAMESPACE_LEFT_OUT = "names are written without {names}, as W3D holds {limit} letters of each"
DELTA_ERROR = (
    "adaptive delta: {channels} {channels:channel|channels} encoded, none is off by more than {degrees} "
    "degrees or {units} units"
)
DELTA_OFF = (
    "adaptive delta shows {pivots} {pivots:pivot|pivots} wrongly, by up to {degrees} degrees and {units} "
    "units; choose a timecoded form to have it right"
)
MESH_WITHOUT_SHAPE = "expected vertices and triangles in the mesh; it is damaged"
MODEL_DAMAGED = "a mesh is not shown, as it is damaged: {reason}"
MESH_UNLISTED = "meshes that no model of the file names are hidden: {names}"
SKIN_WITHOUT_SKELETON = "the skin {name} is not shown: its skeleton {skeleton} was not found; put its file beside it"
TRIANGLES_LEFT_OUT = (
    "{name}: {triangles} {triangles:triangle|triangles} without three different vertices {triangles:is|are} left out"
)
CANNOT_WRITE = "a value does not fit its field in the file: {reason}"
