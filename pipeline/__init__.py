"""Files in and out of Blender: what operators, both command lines and scripts share."""
