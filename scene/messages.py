"""What is said of Blender's scene."""

TEXTURES_MISSING = "{textures} {textures:texture was|textures were} not found or not readable and {textures:is shown as a plain colour|are shown as plain colours}: {names}"

JOINT_CONNECTED = "the bone {name} is connected to its parent and cannot leave it; disconnect it to follow the position"

MIRROR_NONE = "none of these bones has one of the other side by its name, as hand.L has hand.R; rename the bones"
MIRROR_STILL = "of the two sides only the one that would be replaced moves; mirror it the other way, by Right onto Left"
MIRROR_MODES = "the bones {bone} and {other} have different rotation modes; give both sides one"

# Into the scene
RATE_SET = "The scene's rate is now {rate} frames per second"
ARMATURE_TOO_DEEP = "the chain of bones that ends in {name} has {depth} bones; Blender crashes on very long chains, so {limit} are the limit; divide the skeleton"
NO_EDIT_MODE = "Blender did not enter Edit Mode for the new armature; leave the mode you are in and import again"
TARGET_NONE = "The target Selected Armature needs an active armature; select one or choose another target"
TARGET_LINKED = "The armature {name} is linked from another file; make a library override of it first"
TARGET_NO_MATCH = "No bone or object has a name of this file; choose another target"
TARGET_NEW = "Made the armature {name}"
TARGET_IS_SELECTED = "{name} was taken, as it is selected"
TARGET_MOVES_SELECTED = "{name} was taken, as it moves what is selected"
TARGET_HAS_NAME = "{name} was taken, as it has the name of the file's skeleton"
TARGET_NONE_MEANT = (
    "A new armature was made: none is selected, deforms the selection or is named like the file's skeleton"
)
TARGET_NEW_FIGURE = "It is new, as the file has a model of its own; choose the target Selected Armature to use {name}"
TARGET_NEW_STILL = "It is new, as nothing moves in the file, and its skeleton is not that of {name}; choose the target Selected Armature to use that"
TARGET_NEW_FEW = "It is new, as {matched} of {total} names match {name}; choose the target Selected Armature, or give a name table, to use that"
TARGET_NEW_LINKED = "It is new, as {name} is linked from another file; make a library override of that to use it"
TARGET_USED = "Animated {name}: {matched} of {total} names match"
TARGET_STILL = "Nothing in the file animates {name}"
TARGET_NO_NAME = "{total:The only animated name of the file is not that of a bone of {name}; say which bone it means|None of the {total} animated names of the file is that of a bone of {name}; say which bones they mean} by Match Names in the panel Origin, or give a name table"
TARGET_UNSEEN = "{name} is hidden, and so is all that it moves; show it to see the animation"
NODES_UNMATCHED = "{number} animated {number:name has no bone or chosen object and is|names have no bone or chosen object and are} left out: {names}"
STAYS_VISIBLE = "{number} {number:bone|bones} of {name} {number:stays|stay} visible where the file hides {number:it|them}, as no import made {name}; custom properties say when"
ROTATION_MODE_SET = "The rotation mode of a bone or object is now Quaternion, as the file's curves need"
BODY_FITTED = "The armature rests otherwise than the file's body: its bones turn as the file's limbs do and keep their lengths, and the hips go {size:.3g} times as far, with the lower foot on the ground"
SWITCHED_TO_FK = "{limbs} {limbs:limb of {name} is|limbs of {name} are} switched to FK (IK-FK is 1 now), as the keys are on the FK controls"
IN_PROPORTION = "The proportions of {name} are kept"
OUT_OF_PROPORTION = "{bone} is {size:.3g} times its size: use Rotation Only (panel Rig)"
NO_PROPORTION = "{bone} is {size:.3g} times its size, as the file tells each limb in the space of the whole body; how far limbs turn from a rest pose cannot be known"
PROPORTIONS = (TARGET_NO_NAME, IN_PROPORTION, OUT_OF_PROPORTION, NO_PROPORTION)
ANOTHER_SIZE = (
    "The armature is {size:.3g} times the size of the file's skeleton. Import with Scale {size:.3g} to match its motion"
)
SAME_SIZE = "The armature has the size of the file's skeleton. Import with Scale 1 to match its motion"
NOTHING_SHOWN = "the file holds no animation, no skeleton and nothing else that Blender can show; choose the file with the animation"
NOTHING_SHOWN_KEPT = "The file holds no animation, no skeleton and nothing else that Blender can show; the empty {name} keeps it, and an export of that writes it again as it is"
MODELS_WITHOUT_BONES = "{number} {number:bone|bones} that models are parented to {number:is|are} missing; the models follow the next bone above: {names}"
ANGLES_SILENT = "the Action {action} turns {number} {number:bone|bones} by angles, which no longer play, as the file needs quaternions there; undo, and import onto a copy of the armature to keep it: {names}"
OVERRIDE_FORGETS = "{name} is a library override, on which Blender keeps new custom properties only until the file is opened again; add {property} in the library's own file"
NODES_REBASED = "The armature rests or stands otherwise than in the file; the motion is converted"
PLAYS_FROM_THERE = "{name} does not stand where the file has it, and plays the motion from where it stands; Other Rigs: Exact Place plays it where the file has it"
DOUBLE_TRACK = "{node} {property} occurs twice in the file; the first plays, the other is kept"
OBJECTS_MADE = "{number} {number:node has|nodes have} no object of that name; {number:an empty stands in for it|empties stand in for them}"
SHAPE_KEY_RANGE = "The range of the shape key {name} was widened for the file's values"
CHANNELS_LEFT_OUT = "{count} of {total} {total:channel|channels} {count:is|are} left out, as asked; an export to the same file leaves {count:it|them} there"
NO_CHANNELS_LEFT = "the file has nothing that these options take; change Channels, Selected Bones or Root Motion"
NO_BONES_SELECTED = (
    "no bone that the file moves is selected; select bones of the target in Pose Mode, or switch Selected Bones off"
)
ROOT_UNKNOWN = "No bone of {name} has a parent, so the root is unknown; all locations were used. Import onto an armature whose bones have parents to leave the root's out"
ACTION_MERGED = "Merged into the Action {name}; an export treats what the file brought as edited"
MERGE_LINKED = "the Action {name} is linked from another file; make it local to merge into it"
IN_TWEAK_MODE = "{name} has an NLA strip in tweak mode; leave that mode in the NLA editor, and import again"
ACTION_REPLACED = "Replaced the Action {name}"
EDITS_GONE = "{count} {count:curve|curves} of {name} that had been changed or added since the import {count:is|are} gone with the old Action; undo to get {count:it|them} back"
ACTION_NOT_REPLACED = "the Action {name} moves what the file does not move and is kept; the new one is {new}"
STRIP_BELOW_ACTION = (
    "{name} still plays the Action {action}, which covers the new strips; push it down or unlink it to see them"
)
MOTION_ENDS = "{name} no longer plays the Action {action}, which moves the object itself; merge into that Action, or push it down in the NLA editor, to play both"
STRIP_UNSEEN = "the NLA of {name} is switched off or plays one track alone, so that the new strips are not seen; change that in the NLA editor"
STRIP_CUTS = "the NLA strip {strip} of {name} plays its Action to frame {cut:g} of {end:g}, as it is as long as the old one; lengthen it in the NLA editor"
STRIP_BEYOND = "its NLA strip would go from frame {first:.0f} to {last:.0f}, and scenes end at {limit}; choose another start frame or another scene, or None for NLA"
REMOVED_MEANWHILE = (
    "something that this needs was removed or renamed by a script or in another window meanwhile; try again"
)
NO_VIEW_LAYER = "The scene {name} has no view layer that can be changed; import into another scene"
# Out of the scene: what has no place
LEFT_OUT_OBJECTS = "{values} animated {values:value|values} of other objects {values:is|are} left out, as the file holds one armature: {names}"
LEFT_OUT_HIDING = "{values} animated {values:value|values} that {values:hides|hide} meshes {values:is|are} left out, as other keys decide whether their bones are seen, or as {values:it plays|they play} with another Action: {names}"
LEFT_OUT_INSTANCES = "{values} animated {values:value|values} of what collection instances show {values:is|are} left out; make them real by Object > Apply > Make Instances Real: {names}"
LEFT_OUT_CONSTRAINTS = "{values} animated {values:value|values} of constraints that do not show in the pose {values:is|are} left out, as the file has no place for {values:it|them}: {names}"
LEFT_OUT_OTHER = "{values} animated {values:value|values} {values:is|are} left out, as the file has no place for {values:it|them}: {names}"
LEFT_OUT_NOWHERE = "{values} {values:curve leads|curves lead} to bones or properties that are not there, and {values:is|are} left out: {names}"
LEFT_OUT_TURNS = "{values} rotation {values:channel plays|channels play} nothing and {values:is|are} not written, as the rotation mode there is another: {names}"
LEFT_OUT_SIMULATION = "rigid bodies move {values} {values:object|objects}, which no keys say; bake them first by Object > Rigid Body > Bake To Keyframes: {names}"
LEFT_OUT_PARENTS = "the motion of {values} {values:parent is|parents is} left out, as it has to be sampled and only keys are exported, as asked: {names}"
# Out of the scene: why something is sampled, or is no longer the file's
LEDGER = "Of {total} animated {total:value or moving parent|values and moving parents}, {curves} {curves:is|are} written from curves, {samples} from samples, and {lost} {lost:has|have} no place"
CAPTURE_CONSTRAINT = "{name}: the constraint {constraint} takes part in its pose"
CAPTURE_IK = "{name}: the inverse kinematics of {tip} move it, which Blender solves to some hundredths of a degree"
CAPTURE_DRIVER = "{name}: a driver sets its {path}"
SAMPLES_FOLLOWED = (
    "{keys} {keys:key follows|keys follow} {samples} samples of {channels} sampled {channels:channel|channels}"
)
CAPTURE_NLA = "{name}: the NLA takes part in its motion"
CAPTURE_INHERITANCE = "{name}: it does not inherit everything from its parent"
CAPTURE_PARENT = "{name}: it follows {parent}, which moves"
CAPTURE_DELTA = "{name}: it has delta transforms besides its own"
CAPTURE_OBJECT_MOVES = "{name}: the object itself moves"
CAPTURE_ROTATION_MODE = "{name}: its rotation is not kept as a quaternion"
CAPTURE_CONNECTED = "{name}: a connected bone stays in its place, whatever its curves say"
CAPTURE_MODIFIER = "{name}: {path} has modifiers, easing or extrapolation, written out as keys"
CAPTURE_CLAMPED = "{name}: {path} is kept to its limits, beyond which its curve goes"
CAPTURE_SHAPE_MUTED = "{name}: the shape key {shape} is muted"
CAPTURE_COARSE = "{name}: moves faster than it is sampled; between the samples it is off by up to {error}; keys instead of constraints, drivers, modifiers or keyed modes make it exact"
CAPTURE_REST_POSITION = (
    "{name} is shown in its rest position; the file plays its animation, as the viewport does after Pose Position: Pose"
)
CAPTURE_MUTED = "{name}: its curve {path} is muted or has no keys"
CAPTURE_POSED = "{name}: posed without keys"
CAPTURE_MESH_HIDES = "{name}: it is hidden with the mesh {mesh}, which is parented to it"
HIDES_ITSELF = (
    "{name} keeps its own keys or drivers for when it is seen; delete them to let the file's animation hide it"
)
SETS_ITSELF = "{name} keeps its own keys of {property}; delete them to let the file's {field} set it"
CAPTURE_MESHES_APART = "Hiding {name} hides everything attached to bone {bone} in the file, but these are not hidden with it: {names}. Parent them to another bone"
CAPTURE_MEASURED = "{name}: it moves otherwise than its keys say, and was sampled"
CAPTURE_MEASURED_VALUE = "{name}: {path} is otherwise than its keys say, and was sampled"
CAPTURE_FORCED = "every channel is sampled, as asked"
CAPTURE_REST = "rest poses or parents are not those of the file: {names}"
CAPTURE_TRANSFORM = "{name}: the object was moved"
CAPTURE_CONTEXT = "{name}: it is not as it was imported"
CAPTURE_NO_DEFORM = "{name}: no bone deforms anything, so that Deform Bones Only leaves none to write; switch that off, or Deform on in the properties of the bones that the model has"
CAPTURE_ONE_NAME = "two of the objects are called {name}, as they are linked from other files; choose one of them, or make library overrides, which get names of their own"
CAPTURE_NO_SPACE = (
    "the location, scale or rest pose of {name} is zero, infinite or not a number; correct it before exporting"
)
CAPTURE_RATE = "The scene runs at {rate} frames per second, the keys were placed at {old}; what plays is exported"
CAPTURE_CURVES_GONE = "{count} {count:curve|curves} of the file {count:is|are} gone"
CAPTURE_EDITED = "{count} {count:curve is not as it was|curves are not as they were} imported"
CAPTURE_RANGE = "the frame range has changed"
CAPTURE_MARKERS = "the markers have changed"
CAPTURE_CUT = "{count} {count:key lies|keys lie} outside frames {first:g} to {last:g} and {count:is|are} not written"
CAPTURE_MARKERS_CUT = (
    "{count} {count:marker lies|markers lie} outside the frames that are exported and {count:is|are} not written"
)
CAPTURE_STILL = "{moving} of {total} chosen objects move and are written; the others stand still: {names}"
CAPTURE_FORBIDDEN = "constraints, drivers or NLA take part, but only keys are exported, as asked"
