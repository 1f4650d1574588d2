"""The rooms that touch Blender's data: they know Clips, never a file format."""
