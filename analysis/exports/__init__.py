"""Files that other tools read: a solution, or a part of it, in one format each."""
