"""The building blocks of the searches: loops over memory that know nothing of games or files."""
