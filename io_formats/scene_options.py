"""Options about a scene in Blender, which no codec knows: what receives a motion, and which motion is written. They are
declared here because the conversion of files refuses them by name."""

from __future__ import annotations

from typing import ClassVar, Literal

from .options import UNDRAWN, ReadOptions, WriteOptions, declares, option


@declares(
    """
    target | Target | What receives the animation
    - AUTO | Automatic | The armature that is selected, moves what is selected or has the skeleton's name; else a new one
    - NEW | New Armature | Always make a new armature
    - SELECTED | Selected Armature | The active armature, bones matched by name
    - BY_NAME | By Name | Bones and objects of the scene that have the file's names
    name_table | Name Table | JSON file that says which bone of the selected armature each name of the file means; names that it does not have are matched by rules
    fit | Other Rigs | How the motion reaches an armature whose rest pose is not the file's
    - FOLLOW | Follow | Each bone turns away from its own rest as the file's does from its rest; recorded joints turn the bones between them. Lengths stay the rig's
    - EXACT | Exact Place | Each bone is placed and turned exactly as in the file, stretched where it must be
    follow_place | Follow Place | Whether the topmost matched bone, such as a hand, follows the joint's position as well as its rotation
    - AUTO | Automatic | Only a bone without a parent
    - ALWAYS | Always | Also a bone that an arm holds; it leaves the arm
    - NEVER | Never | It only turns
    rate | Rate | Frames per second that turn the file's seconds into frames
    - AUTO | Automatic | The scene's; a file that counts in frames (W3D, W3X) sets its own while nothing is animated yet
    - SCENE | Scene | Keep the scene's rate; keys may lie between frames
    - FILE | File | Set the scene to the file's own rate
    - CUSTOM | Custom | Set the scene to the rate below
    custom_rate | Custom (fps) | Frames per second for Custom
    start_frame | Start Frame | Frame on which the file's time 0 lies
    start_at_current | At Current Frame | The file's time 0 lies on the frame that the scene shows, whatever Start Frame says
    resample | Whole Frames | Give what has keys between frames a key on each whole frame instead
    set_scene_range | Set Scene Range | Make the scene's range cover the clip
    hide_helpers | Hide Helper Bones | Draw bones that a person seldom wants to see, such as fingertips, as nothing; their keys stay in every editor
    merge | Merge into Action | Write into the Action that is assigned to the target, where there is one: curves of the file's channels take the place of those that are there, all others stay; an export treats them as edited
    channels | Channels | What of each bone and object is taken; exports leave in the file what an import left out
    - ALL | All | Everything that the file moves
    - ROTATION | Rotation Only | No locations and sizes; properties such as visibility are taken
    only_selected_bones | Selected Bones | Only bones of the target that are selected in Pose Mode; everything else stays as it is
    root_motion | Root Motion | Take the locations of the uppermost bones that change their place; off, the figure moves on the spot
    cyclic | Cyclic | Whether the Action is marked as cyclic, for what plays it in a loop; the mark plays and exports nothing
    - AUTO | Automatic | Where every curve repeats, or the last pose is the first one
    - CLOSE | Close the Loop | Always, for walks of games that do not say so: the last pose becomes the first one where it is near
    - NO | No | Never
    seam_location | Location (mm) | How many millimetres of the world a location may be moved to end where it begins
    seam_rotation | Rotation (°) | How many degrees a rotation may be turned to end where it begins
    nla | NLA | What else is done with an Action that is not merged into another
    - NONE | None | Assign the Action, nothing else
    - STASH | Stash | Also keep it on a muted NLA track
    - STRIP | Strip | Place it as an NLA strip instead of assigning it; the next file's follows on the same armature
    - SEQUENCE | In Sequence | Place all as NLA strips, each after the one before, also those of other files and armatures, with a scene marker for each
    existing | Same Name | What happens when an Action of that name exists
    - KEEP | Keep Both | The new Action gets a suffix; exports do not show it
    - REPLACE | Replace | The new Action takes the place of the old one everywhere
    fake_user | Fake User | Keep imported Actions in the .blend also while nothing plays them; off, one that another replaces is gone when the file is opened again
    mark_assets | Mark as Assets | Show new Actions in the Asset Browser, by skeleton and with tags; adds their catalogues to blender_assets.cats.txt beside the saved .blend
    name_from | Name from | What new Actions and armatures are named after; exports keep the file's own names either way
    - CLIP | Clip | The names in the file, where it has any
    - FILE | File | The file's name; of several animations in one, that and their own
    name_prefix | Name Prefix | Put before the names of new Actions
    keep_source | Keep Source | Keep the file's bytes in the .blend, so that untouched parts export exactly
    """
)
class ImportOptions(ReadOptions):
    """What every import into a scene can be told."""

    PANELS: ClassVar[tuple[str, ...]] = ("Rig", "Time", "Keys", "Axes", "Advanced")
    """Titles of panels in the order in which a dialogue shows them."""

    rest_keys = False
    """Whether channels of bones that the file does not move get a key at rest: see `RestKeys`."""

    target: Literal["AUTO", "NEW", "SELECTED", "BY_NAME"] = option("AUTO")
    name_table: str = option("", is_file=True, only_with=("target", "AUTO", "SELECTED", "BY_NAME"), panel="Rig")
    fit: Literal["FOLLOW", "EXACT"] = option("FOLLOW", panel="Rig")
    follow_place: Literal["AUTO", "ALWAYS", "NEVER"] = option("AUTO", only_with=("fit", "FOLLOW"), panel="Rig")
    rate: Literal["AUTO", "SCENE", "FILE", "CUSTOM"] = option("AUTO", panel="Time")
    custom_rate: float = option(60.0, limits=(1.0, 32767.0), panel="Time", only_with=("rate", "CUSTOM"))
    start_frame: float = option(0.0, limits=(-1048574, 1048574), panel="Time", only_with=("start_at_current", False))
    start_at_current: bool = option(False, panel="Time")
    resample: bool = option(False, panel=UNDRAWN)
    set_scene_range: bool = option(True, panel="Time")
    hide_helpers: bool = option(True, panel="Keys")
    merge: bool = option(False, panel="Keys")
    channels: Literal["ALL", "ROTATION"] = option("ALL", panel="Rig")
    only_selected_bones: bool = option(False, only_with=("target", "AUTO", "SELECTED", "BY_NAME"), panel="Rig")
    root_motion: bool = option(True, only_with=("channels", "ALL"), panel="Rig")
    cyclic: Literal["AUTO", "CLOSE", "NO"] = option("AUTO", panel=UNDRAWN)
    seam_location: float = option(5.0, limits=(0.0, 100000.0), panel=UNDRAWN)
    seam_rotation: float = option(2.0, limits=(0.0, 180.0), panel=UNDRAWN)
    nla: Literal["NONE", "STASH", "STRIP", "SEQUENCE"] = option("NONE", panel="Time")
    existing: Literal["KEEP", "REPLACE"] = option("KEEP", panel="Keys")
    fake_user: bool = option(True, panel=UNDRAWN)
    mark_assets: bool = option(False, panel="Advanced")
    name_from: Literal["CLIP", "FILE"] = option("CLIP", panel="Advanced")
    name_prefix: str = option("", panel=UNDRAWN)
    keep_source: bool = option(True, panel="Advanced")


@declares(
    """
    rest_keys | Rest Keys | Give each channel of a bone that the file does not move one key at rest, as the games have it there; off, it keeps what the Action before has posed. Exports leave these keys out
    """
)
class RestKeys:
    """For formats whose engines have a bone at rest where an animation says nothing of it."""

    rest_keys: bool = option(True, panel="Keys")


REST_CURVES = 7
"""How many curves a bone that nothing moves is given: three for its location, four for its rotation."""


@declares(
    """
    sampling | Keys | Where the exported keys come from
    - AUTO | Automatic | Keys where F-Curves alone make the pose, baked where constraints, drivers or NLA do
    - KEYS | Keys | Always the keys of the F-Curves
    - BAKE | Bake | Always the evaluated pose, one key a frame
    actions | Actions | Which Actions are written
    - ACTIVE | Active | The Action that is assigned
    - ALL | All, Separate Files | Each Action alone, with the objects that it is made for, in a file named after it
    several | Armatures | What happens where more than one armature is chosen
    - ONE | One File | All in one file; refused where the format holds one armature only
    - FILES | One File Each | A file for each armature, named after it
    file_names | File Names | Pattern that names the files in the chosen folder, such as {object}_{action}; {action}, {object} and {blend} are filled in. Empty, one file has the name that is typed, and several are named by themselves
    space | Space | Whether the object's own transform counts
    - WORLD | World | A moved or scaled object exports its world motion
    - LOCAL | Local | The object's own transform is left out
    use_scene_range | Scene Range | Write the scene's frame range instead of the Action's
    bake_to_scene_end | Bake to Scene End | Write what goes on after the last key, such as Cycles, as far as the scene's last frame
    keep_frame_zero | Keep Frame 0 | Make Blender's frame 0 the file's time 0, or of an imported Action the frame that its file began at; off, the first frame that is exported is time 0
    use_source | Exact if Untouched | Give untouched parts the imported file's own bytes
    check_playback | Check | Whether the file is played and compared with the scene before it is handed over; what is off is sampled, what is off still is a warning
    - QUICK | Quick | At 26 moments, as few as 8 beyond a tenth of the time of the export and half a second
    - THOROUGH | Thorough | At 520 moments, whatever time that takes, and also what is written byte for byte
    - OFF | Off | Nothing is compared
    strict | Strict | Write no file that plays further off the scene than the format promises
    """
)
class ExportOptions(WriteOptions):
    """What every export of a scene can be told."""

    PANELS: ClassVar[tuple[str, ...]] = ("Time", "Keys", "Axes", "Names", "Advanced")

    sampling: Literal["AUTO", "KEYS", "BAKE"] = option("AUTO", panel="Keys")
    actions: Literal["ACTIVE", "ALL"] = option("ACTIVE")
    several: Literal["ONE", "FILES"] = option("ONE")
    file_names: str = option("", panel="Names")
    space: Literal["WORLD", "LOCAL"] = option("WORLD", panel="Axes")
    use_scene_range: bool = option(False, panel="Time")
    bake_to_scene_end: bool = option(False, panel="Time")
    keep_frame_zero: bool = option(False, panel="Time")
    use_source: bool = option(True, panel="Advanced")
    check_playback: Literal["QUICK", "THOROUGH", "OFF"] = option("QUICK", panel="Advanced")
    strict: bool = option(False, only_with=("check_playback", "QUICK", "THOROUGH"), panel="Advanced")


@declares(
    """
    deform_bones_only | Deform Bones Only | Write no bones that deform nothing and carry no object, as Blender's glTF exporter does with Deformation Bones Only; what moves the others through them is sampled
    """
)
class DeformBones:
    """For formats whose models may have fewer bones than their rig."""

    deform_bones_only: bool = option(False, panel="Advanced")
