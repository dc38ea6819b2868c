"""The dialect of GamesCrafters' Universal Web API, ``/uwapi``, which GamesmanUni speaks."""
