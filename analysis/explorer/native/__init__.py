"""The explorer's own dialect, ``/api/v1``."""
