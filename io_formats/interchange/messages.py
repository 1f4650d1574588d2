"""What conversions to general-purpose files say."""

WRITTEN_ONLY = "found {kind}, which conversions write but nothing here reads; choose the recording or animation that it was made of"
NO_PARENTS = "the file names no parents, so every node is where its own numbers put it; import it onto its armature in Blender to see where that is in the world"
CHANNELS_IN_EXTRAS = "{channels} {channels:channel that is no transform|channels that are no transforms} ({names}) {channels:is|are} kept as extras of the scene, which viewers do not play"
MARKERS_IN_EXTRAS = "{markers} {markers:marker is|markers are} kept as extras of the scene, which viewers do not show"
MARKERS_LEFT_OUT = "{markers} {markers:marker has|markers have} no place in a table and {markers:is|are} left out; convert to .npz to keep {markers:it|them}"
CURVES_FITTED = "curves are written as cubic splines, at most {percent:.2g} % of their range off"
SHEARED = "{nodes} {nodes:node is sheared by its parent|nodes are sheared by their parents}, which location, rotation and scale cannot express; {nodes:its|their} axes are made square"
