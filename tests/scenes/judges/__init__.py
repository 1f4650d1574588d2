"""What is right of a file of each format, beside what Blender shows."""
