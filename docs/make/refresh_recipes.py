"""Run the recipes of docs/how-to again, and put what they print and draw into the pages.

``python docs/make/refresh_recipes.py`` refreshes all recipes; given words, those with one of them in their titles.
Outputs stay as short as they are: what ``...`` stands for is left out again. One whose lines are others now is put in
at full length, to be shortened by hand. A picture is a file of its name that the recipe writes, or a photograph of the
page of that name: x.png shows x.html or x/index.html.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.recipes import HOW_TO, PAGES, Recipe, read_recipes
from tests.support.transcripts import places

SIZE = {"width": 800, "height": 900, "deviceScaleFactor": 1, "mobile": False}
COLOURS = 64


def main(words: list[str]) -> None:
    """Refresh the recipes with any of these ``words`` in their titles; all if there are none."""
    for page in PAGES:
        for recipe in read_recipes(page):
            if not words or any(word in recipe.title for word in words):
                refresh(recipe)


def refresh(recipe: Recipe) -> None:
    """Run a recipe, and replace its outputs in the page and its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        text = recipe.text
        for (command, before), after in zip(recipe.steps, recipe.run(Path(folder)), strict=True):
            if recipe.comparable(after) != recipe.comparable(before):
                text = text.replace(f"$ {command}\n{before}", f"$ {command}\n{shortened(after, before)}")
        if text != recipe.text:
            whole = recipe.page.read_text(encoding="utf-8")
            recipe.page.write_text(whole.replace(f"## {recipe.title}\n{recipe.text}", f"## {recipe.title}\n{text}"))
        print(f"{recipe.page.name}: {recipe.title}{': changed' * (text != recipe.text)}")
        for picture in recipe.pictures:
            if (Path(folder) / picture).exists():
                shutil.copy(Path(folder) / picture, HOW_TO / "images" / picture)
            else:
                photograph(Path(folder), picture)


def shortened(printed: str, before: str) -> str:
    """What is printed, with ``...`` where the page has it, if the lines differ in numbers and frames only."""
    lines = printed.rstrip().split("\n")
    old = before.rstrip().split("\n")
    found = places([alike(line) for line in lines], [alike(line) for line in old])
    kept = lines if found is None else [lines[place] if place >= 0 else "..." for place in found]
    return "".join(f"{line.rstrip()}\n" for line in kept if printed.strip())


def alike(line: str) -> str:
    """Return a line without its numbers and frames."""
    return line if line == "..." else " ".join(re.sub(r"[\d,.]*\d|[─│-]+", "#", line).split())


def photograph(folder: Path, picture: str) -> None:
    """Take a photograph of a page in the folder, in few colours."""
    from PIL import Image

    from tests.support.browser import Browser

    pages = [folder / f"{Path(picture).stem}.html", folder / Path(picture).stem / "index.html"]
    page = next((page for page in pages if page.exists()), None)
    if page is None:
        sys.exit(f"nothing made {picture}")
    browser = Browser(folder / ".profile")
    try:
        browser.open(page.as_uri(), SIZE)
        browser.photograph(HOW_TO / "images" / picture, SIZE["width"], SIZE["height"])
    finally:
        browser.close()
    with Image.open(HOW_TO / "images" / picture) as image:
        few = image.convert("RGB").quantize(COLOURS)
    few.save(HOW_TO / "images" / picture, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
