"""The recipes of docs/gallery print and draw what the pages show."""

import re

import pytest

from tests.support.recipes import GALLERY, INDEX, PAGES, Recipe, read_recipes
from tests.support.transcripts import fits

RECIPES = [recipe for page in PAGES for recipe in read_recipes(page)]
WORDS, BYTES = 2_000, 60_000


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.anchor)
def test_recipe(recipe: Recipe, tmp_path):
    for (command, wanted), printed in zip(recipe.steps, recipe.run(tmp_path), strict=True):
        found = recipe.comparable(printed)
        assert fits(found, recipe.comparable(wanted)), (command, printed)
    for picture in recipe.pictures:
        made, shown = tmp_path / picture, GALLERY / "images" / picture
        if made.suffix == ".svg":
            assert labels(made) == labels(shown)
        else:
            assert any((tmp_path / page).exists() for page in (f"{made.stem}.html", f"{made.stem}/index.html"))


def labels(picture):
    """What is written in a drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<|<!-- (.*?) -->", picture.read_text(encoding="utf-8"))


def test_all_are_listed():
    listed = re.findall(r"^- \[(.*)\]\((\S+)#(\S+)\)$", INDEX, re.MULTILINE)
    assert listed == [(recipe.title, recipe.page.name, recipe.anchor) for recipe in RECIPES]


def test_each_is_short():
    assert sum(recipe.words for recipe in RECIPES) < WORDS
    assert all(recipe.steps for recipe in RECIPES)


def test_pictures():
    shown = [picture for recipe in RECIPES for picture in recipe.pictures]
    assert sorted(shown) == sorted(path.name for path in (GALLERY / "images").iterdir())
    assert all((GALLERY / "images" / picture).stat().st_size < BYTES for picture in shown)
    assert set(re.findall(r"\]\(images/(\S+?)\)", INDEX)) <= {*shown}
