"""What both command lines share: flags made from options, what was given, and how results are said."""
