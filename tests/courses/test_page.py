"""The sessions of docs/how-to/courses.md are run, with the files that the page shows."""

import re
import shlex

from analysis.courses.exercise import FIELDS, READY, VISIBILITIES
from tests.support import transcripts
from tests.support.program import ROOT

FOLDER = ROOT / "docs" / "how-to"
PAGE = (FOLDER / "courses.md").read_text(encoding="utf-8")


def test_sessions(gametree, tmp_path):
    files = dict(re.findall(r"```(?:py|toml)\n# (\S+?)(?:, below my_search.py)?\n(.*?)```", PAGE, re.DOTALL))
    mine, more = (FOLDER / "examples" / "my_search.py").read_text(), files["hand-ins/bob.py"]
    right = mine.replace("else 0", 'else float("inf")') + more.replace("3**9", "5478")
    files["week4/three.py"] = (FOLDER / "examples" / "three.py").read_text()
    files |= {"docs/how-to/examples/my_search.py": mine, "hand-ins/bob.py": mine + more, "hand-ins/ann.py": right}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    commands = transcripts.commands("".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)))
    assert len(commands) == 2
    for command, wanted in commands:
        result = gametree(*shlex.split(command)[1:])
        assert result.code == ("--own" in command)
        assert transcripts.fits(transcripts.comparable(result.out), transcripts.comparable(wanted)), result.out
    assert (tmp_path / "grades" / "ann" / "results.json").exists()
    (tmp_path / "week4" / "eve.txt").write_text("Value: 0")
    assert gametree("grade", "week4/exercise.toml", "week4/eve.txt", "--format", "csv").rows[0]["output"] == "right"


def test_page_names_everything():
    for name in (*FIELDS, *READY, *VISIBILITIES, *(field for fields in FIELDS.values() for field in fields)):
        assert f"`{name}`" in PAGE, name
