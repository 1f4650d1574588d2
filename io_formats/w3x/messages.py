"""What is said of W3X files."""

NOT_W3X = "{file} is not a W3X file"
WARCRAFT_MAP = (
    "this is a map of Warcraft III, whose files end in .w3x as well; "
    "choose an animation of Command & Conquer 3 or Red Alert 3"
)
NOT_WELL_FORMED = "the XML is damaged here ({reason}); open the file in a text editor and mend it, or get another copy"
OTHER_ROOT = "expected an AssetDeclaration around everything, found {found}; this is another kind of XML file"
OTHER_ENCODING = "expected UTF-8, found {found}; save the file as UTF-8 in a text editor"
DOCTYPE = "the file declares a document type, which the games' compiler has no use for; remove the DOCTYPE"
TOO_DEEP = "more than {limit} elements within each other; no such file has that, it is damaged"
MISSING_ATTRIBUTE = "expected the attribute {name}; add it, the games' compiler needs it too"
BAD_NUMBER = "expected a number, found {found!r}; the games' compiler refuses it as well"
BAD_WHOLE_NUMBER = (
    "expected a whole number from {low} to {high}, found {found!r}; the games' compiler refuses it as well"
)
BAD_SWITCH = "expected true or false, found {found!r}; the games' compiler refuses it as well"
NO_CHANNELS = "expected the element Channels; add it, even if it is empty"
NOT_UNDERSTOOD = "{kind} {name} is kept but not used: {reason}"
SKELETON_UNREADABLE = "a skeleton file beside the animation was passed over: {reason}"
NO_ANIMATION = "the file holds a skeleton but no animation"
NOTHING_TO_SHOW = "expected an animation or a skeleton, this W3X file holds neither (assets: {found}); choose the file with the animation"
NO_RATE = "the animation has no frame rate; 30 frames per second are assumed"
ROOT_CHANNEL = (
    "{channels} {channels:channel is|channels are} for the root pivot, which the game never animates; "
    "{channels:it is|they are} not played"
)
MISSING_PIVOT = (
    "{channels} {channels:channel is|channels are} for pivots that the skeleton does not have; "
    "{channels:it is|they are} kept but not played"
)
DUPLICATE_CHANNEL = (
    "{channels} {channels:channel moves|channels move} what another channel already moves; the first of them plays"
)
NO_CHANNEL = (
    "{channels} {channels:channel has a type that does not go with its|channels have a type that does not"
    " go with their} frames; the games' compiler refuses {channels:it|them}"
)
TOO_LONG = "{channels} {channels:channel has|channels have} frames beyond NumFrames; these are kept but not played"
ZERO_ROTATION = "{keys} {keys:rotation is|rotations are} all zeros; {keys:it is|they are} played as no rotation"
BAD_NAME = "the name {name} does not fit: letters without accents, digits, _, . and - only; choose another"
TOO_MANY_FRAMES = "the clip has {frames} frames, a W3X animation at most {limit}; export a part or a lower rate"
OTHER_HIERARCHY = (
    "the animation is for the skeleton {wanted}, the file to save into is for {found}; "
    "choose another file or give the option Hierarchy"
)
ADDED = "the animation {name} was added beside {others}; only one of the same name is replaced"
NO_PROPERTY = "{property} of {name} is left out; a pivot has no such channel"
