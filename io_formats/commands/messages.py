"""What both command lines say."""

CLI_INTERRUPTED = "Interrupted; what was done before is complete"
CLI_PROGRESS = "{percent} %: {name}"
CLI_PROGRESS_OF_FILES = "{percent} %, {done} of {total} files: {name}"
CLI_NO_OUTPUT = "the output cannot be written: {reason}; make room or send it elsewhere"
CLI_NOT_FOR_CONVERT = "{flag} is an option for scenes in Blender, which a conversion does not have; leave it out, or import and export with blender --command anim_curves"
CLI_NOT_OF_FORMAT = "{flag} is not an option for this file ({formats}); leave it out"
