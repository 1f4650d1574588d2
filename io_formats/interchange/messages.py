"""What conversions to general-purpose files say."""

WRITTEN_ONLY = (
    "this is a {kind}, which conversions write but nothing here reads; choose the recording or animation that it was "
    "made of"
)
NO_PARENTS = (
    "the file names no parents, so every node stands where its own numbers put it; import it onto its armature in "
    "Blender to see where that is in the world"
)
CHANNELS_IN_EXTRAS = (
    "{channels} channels that are no transforms ({names}) are kept as extras of the scene, which viewers do not play"
)
MARKERS_IN_EXTRAS = "{markers} markers are kept as extras of the scene, which viewers do not show"
MARKERS_LEFT_OUT = "{markers} markers have no place in a table and are left out; convert to .npz to keep them"
CURVES_FITTED = "curves are written as cubic splines, {error:.2g} off at most"
SHEARED = (
    "{nodes} nodes are sheared by what they hang on, which location, rotation and scale cannot say; their axes are "
    "made square"
)
