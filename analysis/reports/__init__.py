"""Write reports: a page about a game that anybody can read, with its figures and tables as files."""
