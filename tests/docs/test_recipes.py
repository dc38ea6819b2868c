"""The recipes of docs/how-to print and draw what the pages show, and the gallery lists some of them."""

import re

import pytest

from tests.support.program import ROOT
from tests.support.recipes import HOW_TO, PAGES, Recipe, read_recipes
from tests.support.transcripts import fits

RECIPES = [recipe for page in PAGES for recipe in read_recipes(page)]
BYTES = 60_000


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.anchor)
def test_recipe(recipe: Recipe, tmp_path):
    for (command, wanted), printed in zip(recipe.steps, recipe.run(tmp_path), strict=True):
        found = recipe.comparable(printed)
        assert fits(found, recipe.comparable(wanted)), (command, printed)
    for picture in recipe.pictures:
        made, shown = tmp_path / picture, HOW_TO / "images" / picture
        if made.suffix == ".svg":
            assert labels(made) == labels(shown)
        else:
            assert any((tmp_path / page).exists() for page in (f"{made.stem}.html", f"{made.stem}/index.html"))


def labels(picture):
    """What is written in a drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<|<!-- (.*?) -->", picture.read_text(encoding="utf-8"))


def test_what_the_gallery_lists_is_run():
    index = (ROOT / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[(.*)\]\(../how-to/(\S+)#(\S+)\)$", index, re.MULTILINE)
    assert len(listed) > 15
    assert {*listed} <= {(recipe.title, recipe.page.name, recipe.anchor) for recipe in RECIPES}


def test_pictures():
    shown = [picture for recipe in RECIPES for picture in recipe.pictures]
    assert sorted(shown) == sorted(path.name for path in (HOW_TO / "images").iterdir())
    assert all((HOW_TO / "images" / picture).stat().st_size < BYTES for picture in shown)
