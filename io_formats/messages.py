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
UNKNOWN_FORMAT = (
    "expected an MRTK recording, a W3D file, AnimX or AnimJ, recognised by content; this is none of them"
)
CANNOT_OPEN = "the file cannot be opened: {reason}"
TRAILING_BYTES = "{size} bytes after the end of the data are kept but not used"

# --- MRTK input recordings ----------------------------------------------------------------------

# --- W3D ----------------------------------------------------------------------------------------

# --- AnimX and AnimJ ----------------------------------------------------------------------------

# --- Curves and space ---------------------------------------------------------------------------

# --- In Blender ---------------------------------------------------------------------------------

# --- Command line -------------------------------------------------------------------------------
CLI_DESCRIPTION = "Read, convert and check MRTK input recordings, W3D animations, AnimX and AnimJ"
CLI_INFO = "tell what files hold"
CLI_JSON = "print JSON"
CLI_CONVERT = "convert a file into another format, chosen by the ending of OUT"
CLI_SKELETON = "W3D file that holds the skeleton"
CLI_VERIFY = "read and write files in memory and compare"
CLI_VERIFIED = "{file}: written again, the same"
CLI_DIFFERS = "{file}: written again, it differs from byte {offset} on; keep the original and report this file"
CLI_WRITTEN = "{file}: written"
