"""What is said of AnimX and AnimJ."""

BAD_TEXT = "expected UTF-8 text; the file is damaged"

NOT_ANIMX = "{file} is neither AnimX nor AnimJ"
MAGIC = "expected AnimX or the JSON of AnimJ; choose an .animx or .animj file"
VERSION = "expected version 0 or 1, found {version}; no release of the engine reads that, export it again"
ENCODING = "expected an encoding of 0 (plain), 1 (LZ4) or 2 (LZMA), found {encoding}; the file is damaged"
TRACK_TYPE = "expected a track type of 0 (Raw), 1 (Discrete) or 2 (Curve), found {found}; the file is damaged"
BEZIER_TRACK = "a track has the type Bezier, which the engine names but cannot read; export it again as a Curve"
VALUE_TYPE = "expected a value type of 0 to 39, found {found}; the file is damaged"
TOO_LARGE = (
    "the data expand to {size} bytes or more, the limit is {limit} bytes; "
    "raise it (Size in the add-on's preferences, or --limit-mib) to open it"
)
UNPACKED_SIZE = "expected {expected} bytes after unpacking, found {found}; the file is cut short, get a complete copy"
LZ4_DAMAGED = "expected LZ4 data; the file is damaged, get a complete copy"
LZ4_FLAGS = "expected LZ4 chunk flags of 0 to 3, found {flags} ({passes} {passes:pass|passes}); the file is damaged"
LZ4_FRAME = "expected an LZ4 frame of version 1 without a dictionary; pack the file again"
LZMA_PROPERTIES = "expected LZMA properties below 225, found {properties}; the file is damaged"
LZMA_DAMAGED = "expected LZMA data; the file is damaged, get a complete copy"
DIALECT = "the version is one byte, as in the public document; the engine itself refuses such a file"
FRAME = "the tracks are an LZ4 frame, which the engine does not read; they are written the way it reads them"
LZ4_AS_LZMA = "the tracks are LZ4 where the file says LZMA, as in the public document; the engine refuses that"
INTERPOLATION = "unknown interpolation {found}; {taken} is used instead"
ZERO_KEYS = "the track {node} {property} has no keys, which is said to crash the engine; it is left out of the curves"
ANIMX_BAD_TEXT = "a name or text is not valid UTF-8; its bytes are kept, question marks are shown"
KEY_ORDER = "in this key order the times of keys fall, while they rise in the other one; choose the Key Order Automatic"
UNCLEAR_ORDER = (
    "times and values, or a key's two tangents, can be taken for each other in the file, also by this add-on when it "
    "opens it; AnimJ, which names them, leaves no doubt"
)
SETTING = "expected a version of 0 or 1, a container of plain, lz4 or lzma and a known order, found {found}"
DOUBLE_TRACK = "{node} {property} occurs more than once in the file; the first plays, the others are kept"
SINGLE_PRECISION = (
    "{values} {values:value|values} of {node} {property} {values:needs|need} more digits than Blender keeps; the "
    "file's own {values:is|are} kept"
)
NO_INTERVAL = "the keys of {node} {property} lie an interval of {interval} apart; only the first is shown"
STRINGS = "the texts of {node} {property} cannot be animated; they become markers"
TEXTS_KEPT = (
    "The markers have changed or moved, and the file keeps its own texts and their times all the same; edit its string "
    "tracks in the file itself"
)
LONG_TURNS = "{node} turns the long way round between neighbouring rotations, as in the engine"
WRAPS = (
    "the curves of {properties} {properties:property|properties} repeat, which the file cannot say; the repetition "
    "is written out as keys"
)
UNBOUND = (
    "{tracks} {tracks:track has a name under which the engine finds no field, so it comes|tracks have names under "
    "which the engine finds no field, so they come} last ({names}); drive {tracks:its field|their fields} by "
    "reference, or leave {tracks:it|them} out by the option Extra Tracks"
)
UNBOUND_LEFT_OUT = (
    "{tracks} {tracks:track under whose name the engine finds no field is|tracks under whose names the engine finds"
    " no field are} left out, as asked ({names})"
)
SAME_NAME = "two nodes are called {name}, the second is written as {other}; give them different names and export the model again"
SAME_AXIS = "expected two different axes, found {forward} for forward and {up} for up"
NODE_NAMES = "expected pairs such as Hips=Root separated by semicolons, found {found}"
NO_SUCH_NODE = "Node Names lists names that are not exported: {names}; nothing is renamed for them"
REFITTED = "{keys} {keys:key was|keys were} added where handles had to be fitted to thirds; largest error {percent:.2g} % of a curve's range"
LONG_WAYS = (
    "{properties} {properties:rotation turns|rotations turn} the long way, as in Blender, where the signs of "
    "neighbouring keys are opposite; {keys} {keys:key was|keys were} added for that; give these keys one sign for "
    "the short way"
)
LINEARISED = "curves were replaced by straight lines; largest error {percent:.2g} % of a curve's range"
THINNED = (
    "{properties} {properties:property moves|properties move} faster than can be seen; {properties:it is|they are} "
    "written with 12 keys per frame, off by up to {percent:.2g} % of {properties:its|their} range"
)
TOO_FAST = "{name} moves faster than {most:.0f} keys a second can follow; it is off by up to {percent:.2g} % of its range; slow it down for an exact result"
FITS_GLTF = "the file fits a model that Blender exported as glTF with +Y Up, its default"
FITS_FBX = "the file fits a model that Blender exported as FBX with Apply Scalings: FBX Units Scale and default axes"
FITS_FBX_CM = (
    "the file fits a model that Blender exported as FBX with Apply Scalings: All Local and default axes, its defaults"
)
FITS_LENSES = (
    "cameras and lights are turned as in such a model; include them in it (in a glTF: Cameras, Punctual Lights)"
)
UNKNOWN_PROPERTY = "{property} of {node} means nothing to the engine and is left out"
TWO_VISIBILITIES = "{node} is hidden at other times in renders than in the viewport; Active follows the viewport, the renders are left out"
LENS = "the focal length of {node} is sampled as the vertical field of view of the picture that the scene renders"
NOT_FINITE = (
    "{values} {values:number|numbers} of {node} {property} {values:is infinite or no number|are infinite or not "
    "numbers}, which JSON cannot hold; {values:a finite one is|finite ones are} written instead"
)
BAD_RANGE = "{name}: {values} {values:value does|values do} not fit the type {type} and {values:was|were} limited"
MATRICES = "{node} {property} holds matrices, which the engine reads from AnimX only"
ANIMJ_NOT_JSON = "expected JSON; the file is damaged or is not AnimJ, get a complete copy"
ANIMJ_NESTED = "lists or objects are nested too deeply; this is not AnimJ"
ANIMJ_DIGITS = "expected numbers of at most {limit} digits; export the file again"
ANIMJ_NOT_A_NUMBER = "{name} is not a valid JSON number; export the file again without it"
ANIMJ_EXPECTED = "expected {expected}, found {found}; export the file again"
ANIMJ_MISSING = "expected the key {key}; export the file again"
ANIMJ_TRACK_TYPE = "expected Raw, Discrete or Curve, found {found}; export the file again"
ANIMJ_VALUE_TYPE = "expected a type such as float3 or floatQ, found {found}; export the file again"
ANIMJ_RANGE = "expected a whole number from {low} to {high}, found {found}; export the file again"
ANIMJ_INTERPOLATION = "unknown interpolation {found}; Linear is used instead"
ANIMJ_IGNORED = "the key {key} means nothing to the engine and is ignored"
ANIMJ_ORDER = "a track does not begin with trackType, valueType, data; the engine may refuse the file"
ANIMJ_COLORX = "a colour has a profile, which the engine does not take in AnimJ; its numbers are used as they are"
NODES = ("{count} node", "{count} nodes")
TRACKS = ("{count} track", "{count} tracks")
