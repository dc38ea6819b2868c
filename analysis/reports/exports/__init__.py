"""Write files for other tools: a solution, or a part of it, in one of several formats."""
