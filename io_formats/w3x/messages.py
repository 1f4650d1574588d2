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
NOTHING_TO_SHOW = "expected an animation or a skeleton, this W3X file holds neither (assets: {found}); choose the file with the animation"
MISSING_PIVOT = (
    "{channels} {channels:channel is|channels are} for pivots that the skeleton does not have; "
    "{channels:it is|they are} kept but not played"
)
NO_CHANNEL = (
    "{channels} {channels:channel has a type that does not go with its|channels have a type that does not"
    " go with their} frames; the games' compiler refuses {channels:it|them}"
)
TOO_LONG = "{channels} {channels:channel has|channels have} frames beyond NumFrames; these are kept but not played"
BAD_NAME = "the name {name} does not fit: letters without accents, digits, _, . and - only; choose another"
