"""Sentences that several packages use; each package has its own in a file of this name, as templates with `{named}`
fields. A sentence says what was expected and what can be done."""

AT_BYTE = "byte {offset}"
TRUNCATED = "expected {expected} more {expected:byte|bytes}, found {found}; the file is cut short, get a complete copy"
COUNT_TOO_LARGE = "{count} {count:record|records} of {size} {size:byte|bytes} {count:does|do} not fit into the {left} {left:byte|bytes} left; the file is damaged"
BAD_VARINT = "expected a variable-length number of at most 10 bytes; the file is damaged"
EMPTY_FILE = "the file is empty; record or export it again"
UNKNOWN_FORMAT = (
    "expected an MRTK recording, a W3D or W3X file, AnimX or AnimJ, recognised by content; this is none of them"
)
UNKNOWN_ENDING = "expected a name with one of the endings {endings}, found the ending {found!r}; change the name"
CANNOT_OPEN = "the file cannot be opened: {reason}"
OUT_OF_MEMORY = "there is not enough memory for this; close other programs or choose a smaller file"
OPTION_RANGE = "the option {name} goes from {low} to {high}, found {found}; choose a number in between"
OPTION_CHOICE = "the option {name} cannot be {found}; choose one of {choices}"
OPTION_SWITCH = "the option {name} cannot be {found}; choose on or off"
OPTION_WHOLE = "the option {name} cannot be {found}; choose a whole number"
OPTION_NUMBER = "the option {name} cannot be {found}; choose a number"
OPTIONS_OF_OTHER = "these options are another format's; give those of {format}"
OPTION_WITHIN = "the option {name} cannot be followed from {format} to {format}, as such a file does not say what it was made for; import the file into Blender, and export it from there"
OPTION_TEXT = "the option {name} cannot be {found}; choose a text"
TRAILING_BYTES = "{size} bytes after the end of the data are kept but not used"
MORE_LIKE_THIS = "{count} more like this {count:is|are} not listed"

NO_FILE_CHOSEN = "No file is chosen; choose one or more files"
NODES_WITHOUT_PARENTS = "The file names no parents, so the {bones} bones of {name} rest in one place and only move apart as it plays; to move a model, select its armature and import again"

CLI_DESCRIPTION = "Read, convert and check MRTK input recordings, W3D and W3X animations, AnimX and AnimJ"
CLI_INFO = "tell what files hold"
CLI_CONVERT = "convert a file into another format, chosen by the ending of OUT, or many files by --to"
CLI_CONVERT_FILES = "IN and OUT; with --to, files, patterns such as 'walks/*.w3d', or folders"
CLI_CONVERT_TWO = (
    "expected two names, of a file and of what is made of it; --to takes any number of files, and --output"
)
CLI_VERIFY = "read and write files in memory and compare"
CLI_VERIFIED = "{file}: written again, the same"
CLI_DIFFERS = "{file}: written again, it differs from byte {offset} on; keep the original and report this file"
CLI_DUMP = "print all that a file says, a line for each field, which text tools can compare"
CLI_DIFF = "print what two files say differently; exit code 1 if anything"
CLI_LINT = "report what is wrong in files; exit code 1 if anything"
CLI_PLOT = "draw an animation: the figure at six moments, and curves; OUT ends in .svg"
CLI_NO_JOBS = "is for blender --command anim_curves; here, start several of these commands, each with its --part K/N"
CLI_MORE = "... {count} in all (--json names them)"
CLI_WRITTEN = "{file}: written"
CLI_FILES = "file, pattern such as 'walks/*.w3d', or folder"
PIVOTS = ("{count} pivot", "{count} pivots")
ANIMATIONS = ("{count} animation", "{count} animations")
STILL_ANIMATION = "the animation {name} moves nothing and is left out"
FIRST_SHOWN = "first to be seen on frame {frame}"
SKELETON_FOUND = "the skeleton {name} was taken from {file}"
SKELETON_PASSED_OVER = "the skeleton file {file} is passed over, as this one needs no other's skeleton"
