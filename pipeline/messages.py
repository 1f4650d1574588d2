"""What is said of files on their way in and out of Blender."""

EXPORT_NEEDS_ARMATURE = "Nothing to export: the scene has no armature; import one or add one"
EXPORT_NEEDS_OBJECT = "Nothing to export: select an object with bones, animation or shape keys"
EXPORT_SEVERAL = "the scene has several armatures ({names}) and none of them is selected; select what is to be exported"
EXPORT_ONE_ARMATURE = "a file of this format holds one armature, and several are chosen ({names}); select one of them, or choose One File Each for Armatures"
EXPORT_IN_EDIT_MODE = (
    "{name} is in Edit Mode, where Blender shows no pose of it; leave Edit Mode (Tab), and export again"
)
CATALOGUES_UNSAVED = "no list of catalogues has {names} yet, as this .blend is not saved; save it and import again, or make what is missing in the Asset Browser"
PATTERN_TWICE = "{first} and {second} would both be written to this file; change the pattern so that it tells them apart, or rename one"
CHANGED_TWICE = "{first} and {second} both came from this file and were changed; export one of them by File > Export"
CHANGED_UNPLACED = "no file was written for these changed Actions: theirs is not known or lies in an archive, or nothing plays them; use File > Export: {names}"
PATTERN_OF = "{action} of {name}"
ACTIONS_STILL = "nothing moves in these Actions, so no file was written for them: {names}"
NOTHING_MOVES = "nothing that is chosen moves ({names}): it has no keys, NLA strips, drivers or constraints that a file can hold; select what is animated, key its pose, or bake its simulation to keyframes first"
OTHER_FORMAT = "this is a file of the format {found}, not {wanted}; import it with the command for {found}"
KEYS = ("{count} key", "{count} keys")
MESHES = ("{count} mesh", "{count} meshes")
WARNINGS = ("{count} warning", "{count} warnings")
SMOOTHED = "smoothed"
RESAMPLED = "on whole frames"
THINNED = "{kept:,} keys kept"
ONTO = "onto {name}"
NEW_ARMATURE = "a new armature, as {matched} of {total} names match {name}"
RESTING_TOGETHER = "bones without parents, at rest in one place"
SECONDS = "{seconds} s"
STILL = "no animation"
SUM_CURVES = "{total} animated {total:value|values} from curves"
SUM = "of {total} animated {total:value|values} {curves} from curves, {samples} from samples, {lost} without a place"
GOES_ON = "{names} {count:moves|move} outside frames {first:g} to {last:g} as well, the first and the last with a key; choose Scene Range to write all frames from {begin:g} to {end:g}"
GOES_ON_APART = "{names} {count:moves|move} outside frames {first:g} to {last:g} as well, the first and the last with a key; the scene's frames, {begin:g} to {end:g}, are others: give the Action a Manual Frame Range to write more"
WRITTEN_ALONE = "{name} was written alone, without the imports of other files in the NLA: {others}"
ONE_FRAME = "all keys are on frame {last:g}, but the scene moves, so its frames {first:g} to {until:g} were written"
LEFT_OUT_KEPT = (
    "{count} {count:channel|channels} that the import left out {count:stays as it is|stay as they are} in {file}"
)
LEFT_OUT_ABSENT = "{count} {count:channel|channels} that the import left out {count:is|are} not in this file; import all channels to export {count:it|them}"
LEFT_OUT_LOST = "{count} {count:channel|channels} that the import left out {count:is|are} not written, as the armature's rest pose or the scene's rate is not the file's; import all channels to export {count:it|them}"
SOURCE_GONE = "The kept bytes of {file} are missing or damaged; everything is computed again"
SOURCE_OF_NEWER = "{action} was imported with a newer version of this extension; what only that version knows of it is kept, but not used here"
SCENE_MARKERS = "{count} {count:marker of the scene is|markers of the scene are} not written, as only an Action's own are; select {count:it|them} and choose Marker > Make Markers Local in the Action Editor"
EXACT = "byte for byte"
OF_MANY = "{text} ({count} cases)"
PLAYED_BACK = (
    "Played back at {moments} {moments:moment|moments}: within {place:.2g} mm and {degrees:.2g} degrees of the scene"
)
PLAYED_BACK_UNITS = "Played back at {moments} {moments:moment|moments}: on its frames within {place:.2g} units and {degrees:.2g} degrees of the scene, between them within {far:.2g} units and {far_degrees:.2g} degrees"
VALUE_OFF = "{name}: the file plays {property} otherwise than the scene shows it, most on frame {frame:g}; at {moments} {moments:moment|moments} {count} {count:property was|properties were} off"
LENGTH_OFF = "the file plays {found:.3f} s, the animation {wanted:.3f} s"
PLAYED_OFF = "{name}: the file plays it off by up to {place:.3g} mm and {degrees:.3g} degrees, most on frame {frame:g}; at {moments} {moments:moment|moments} {nodes} {nodes:node was|nodes were} further off the scene than this format promises"
PLAYED_OFF_SIZE = "{name}: the file plays it off by up to {place:.3g} mm, {degrees:.3g} degrees and {percent:.2g} % of its size, most on frame {frame:g}; at {moments} {moments:moment|moments} {nodes} {nodes:node was|nodes were} further off the scene than this format promises"
PLAYED_OFF_UNITS = "{name}: the file plays it off by up to {place:.3g} units and {degrees:.3g} degrees, most on frame {frame:g}; at {moments} {moments:moment|moments} {nodes} {nodes:node was|nodes were} further off the scene than this format promises"
PLAYED_OFF_BETWEEN = "{name}: between frames the file plays it off by up to {place:.3g} units and {degrees:.3g} degrees, most on frame {frame:g}, and on its own frames as promised; keys on whole frames, or a higher Rate of the file, keep more"
