"""The version of the program, recorded in what it writes, and the versions that decide the bytes of a result."""

import platform
from importlib import metadata

__version__ = "1.0.0rc1"


def versions() -> str:
    """Return the versions that decide the bytes of a result."""
    python = ".".join(platform.python_version_tuple()[:2])
    libraries = (f"{name} {metadata.version(name)}" for name in ("numpy", "numba", "pyarrow"))
    return ", ".join([f"gametree {__version__}", f"Python {python}", *libraries])
