"""Places where nothing can be written, each with words that a refusal has."""

from pathlib import Path

LONG = "n" * 300


def make_bad_places(folder: Path, suffix: str = "", *, of_files: bool = False) -> list[tuple[str, str]]:
    """Make them in a folder: paths, and what is said of each; the names end in ``suffix``."""
    (folder / "file").write_text("mine")
    (folder / f"dangling{suffix}").symlink_to("nowhere/below")
    (folder / f"loop{suffix}").symlink_to(f"loop{suffix}")
    (folder / f"folder{suffix}").mkdir()
    found = [
        (f"{LONG}{suffix}", "too long"),
        (f"{LONG}/a{suffix}", "too long"),
        (f"file/a{suffix}", "file is a file"),
        (f"loop{suffix}", "levels of symbolic links"),
        (f"loop{suffix}/a{suffix}", "levels of symbolic links"),
        (f"dangling{suffix}", "nowhere"),
    ]
    return [*found, (f"folder{suffix}", "is a directory") if of_files else ("file", "file is a file")]
