"""What an engine makes of a file: one player for each format, written from the descriptions of the formats alone."""
