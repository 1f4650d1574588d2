"""What both command lines say."""

CLI_INTERRUPTED = "Interrupted; what was done before is complete"
CLI_NOT_INSTALLED = "this needs {name}, which this Python does not have; install it there (pip install {name})"
CLI_PROGRESS = "{percent} %: {name}"
CLI_PROGRESS_OF_FILES = "{percent} %, {done} of {total} files: {name}"
CLI_NO_OUTPUT = "the output cannot be written: {reason}; make room or send it elsewhere"
CLI_NOT_FOR_CONVERT = "{flag} is an option for scenes in Blender, which a conversion does not have; leave it out, or import and export with blender --command anim_curves"
CLI_NOT_OF_FORMAT = "{flag} is not an option for this file ({formats}); leave it out"
CLI_ONLY_WITH = "{flag} changes nothing without {needed}; add that, or leave it out"
CLI_OUTPUT = "folder for what is written, by default beside each file"
CLI_OVERWRITE = "replace files that exist already"
CLI_YES = "make more than {number} files of one without asking"
CLI_JSON = "print lines of JSON, one for each result as soon as it is known"
CLI_RESUME = "results (--json) of an earlier run of this command: files that it finished are left out, if what it made of them is there"
CLI_PART = (
    "only this part of the files, such as 3/100, so that several machines share a folder; each file is in one part"
)
CLI_PART_RANGE = "goes from 1/N to N/N, or from 0/N, which is N/N, such as 3/100"
CLI_EXIT_ZERO = (
    "exit code 0 also when files failed, for engines that would try a failed task again; the results say which did"
)
CLI_NO_FILES = (
    "No file is chosen; a folder gives only files of known endings: name others, or a pattern such as 'takes/*'"
)
CLI_FOLDER_PASSED_OVER = "{path}: this folder cannot be listed ({reason}) and its files are left out; make it readable, or leave it out yourself"
CLI_LINK_PASSED_OVER = "{path}: this link leads to a folder or to nothing and is passed over; to search a folder that it leads to, name it, too"
CLI_RESULTS_PASSED_OVER = "{folder}: the folder of the results lies among the files, and what it holds is left out; to read files from there, name it, too"
CLI_LONGER_NAMES = "Several files have one name and other endings, which their results keep: {file} becomes {name}"
CLI_TAKES_RESUME = "--resume is for files of their own, and this is one table; make it anew, or in parts (--part)"
CLI_TAKES_NAMED = (
    "--output and --part are for --to .parquet, which names the table by itself; leave them out, or name no table"
)
CLI_TAKES_TWICE = "{first} and {second} would both be the take {name}; rename one, or name the folder that both are in"
CLI_DONE = "{file}: {output}: {digest}"
CLI_CONVERTED = "{file}: {output}"
CLI_ABOUT_FILE = "{file}: {line}"
CLI_ABOUT_FILES = "{count} files, the first {file}: {line}"
CLI_CONVERT_TO = "ending of the files to write"
CLI_BYTES = "{count} bytes, CRC-32 {sum:08x}"
CLI_CHANNELS = "curves to draw, such as 'Palm* location.x'; without it those that change most"
CLI_LINTED = "{file}: nothing wrong"
LINT_NAME_TWICE = (
    "{nodes} nodes are called {name!r}, of which whoever looks for the name finds one; give each a name of its own"
)
LINT_NO_NUMBER = "{curve}: {keys} {keys:key is|keys are} no finite {keys:number|numbers}, the first at {time:.4g} s; delete or replace {keys:it|them}"
LINT_NO_UNIT = "{curve}: {keys} {keys:quaternion is|quaternions are} not normalized; the worst at {time:.4g} s is {norm:.4g} times as long as it should be; normalize {keys:it|them}"
PLOT_NO_CURVE = "no curve is called {pattern!r}; choose names such as {example!r}, with * for any letters"
PLOT_SECONDS = "seconds"
