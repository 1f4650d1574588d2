"""What a person reads in another language, and the choice of the language."""
