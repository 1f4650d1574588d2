"""What is said of files on disk."""

TOO_MUCH_MEMORY = "this takes {needed} MiB of memory or more, the limit is {limit}; raise it (Memory in the add-on's preferences, or --memory-mib) or choose a smaller file"
TOO_MUCH_TIME = "this takes the processor {needed} s or more, the limit is {limit}; raise it (Time in the add-on's preferences, or --time-s), or choose fewer frames or a smaller file"
FILE_TOO_LARGE = "the file has {size} bytes, more than the limit of {limit} bytes; raise it (Size in the add-on's preferences, or --limit-mib) to open it"
NOT_A_FILE = "expected a file, found something else of this name, such as a folder, a pipe or a device; choose a file"
FOLDER_TOO_LARGE = "only the first {limit} files of {folder} are searched; name the folders of the games themselves"
NO_FILE_NAME = "a file cannot have this name; choose a file"
NO_MEMORY = "there is not enough memory for {size} bytes; close other programs or choose a smaller file"
WRITE_EXISTS = "a file of this name exists already; choose another name, or allow overwriting (--overwrite)"
WRITE_MANY = "this would become {number} files; add --yes if they are wanted"
WRITE_TWICE = "{first} and {second} would both become this file; rename one, or choose another folder for it"
CATALOGUES_VERSION = (
    "expected Blender's list of asset catalogues in version 1, found {found}; put it right or move it away"
)
PATTERN_BRACES = "the pattern {pattern} has a brace without its partner; the places that can be filled are {choices}"
PATTERN_UNKNOWN = "Unknown field {found} in the file name pattern; use one of {choices}"
PATTERN_FOLDER = "the pattern {pattern} names a folder; choose the folder itself, and a pattern without slashes"
WRITE_NO_FOLDER = "this folder cannot be made: {reason}; choose another"
WRITE_FOLDER_MISSING = "the folder does not exist; make it or choose another"
WRITE_NOT_A_FILE = "something other than a file has this name, such as a folder; choose another name"
WRITE_DENIED = "there is no permission to change the file or its folder; grant it or choose another folder"
WRITE_LOCKED = "another program holds the file, or has changed it meanwhile; close it there and try again"
WRITE_NO_SPACE = "there is not enough room for {size} bytes; make room or choose another disk"
WRITE_DISK_FULL = "the disk is full; make room or choose another disk"
WRITE_BAD_NAME = "the system does not accept this file name; choose a shorter or simpler one"
WRITE_DIFFERS = "the disk does not give back what was written to it; choose another disk"
WRITE_FAILED = "the file cannot be written: {reason}"

NOTHING_ANIMATED = "nothing is animated here; choose a file with an animation"
HOLDS_NO_SKELETON = "the file holds no skeleton; choose another Skeleton File"
NOTHING_WRITTEN = (
    "nothing of what is animated has a place in a file of this format; choose another format or select what it can hold"
)
