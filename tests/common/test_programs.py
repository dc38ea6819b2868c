"""Files as processes: answers, ends, time limits, and nothing left running."""

import subprocess
import sys

import psutil
import pytest

from analysis.common.programs import LateError, Program, ProgramError
from tests.support.program import PATIENCE, ROOT, until


@pytest.fixture
def program(tmp_path):
    """What runs code as a file, whose function ``f`` answers."""
    service, file = tmp_path / "service.py", tmp_path / "own.py"
    service.write_text("def answer(module, asked): return {'answer': module.f(asked)}")

    def run(code: str) -> Program:
        file.write_text(code)
        return Program(str(service), str(file))

    return run


def gone(number: int) -> bool:
    return not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE


def test_it_answers_until_it_is_closed(program, tmp_path):
    with program("import os, sys\ndef f(x): return x, sys.argv, __name__") as running:
        for asked in ("a", [1, {"b": None}]):
            assert running.ask(asked, PATIENCE) == {"answer": [asked, [str(tmp_path / "own.py")], "own"]}
        assert not running.ended
    with pytest.raises(ProgramError):
        running.ask("c", PATIENCE)
    assert running.ended


@pytest.mark.parametrize(
    ("code", "said", "ended"),
    [
        ("import no_such_module", r"own\.py:1: ModuleNotFoundError", False),
        ("def f(x):\n    1 / 0", r"own\.py:2: ZeroDivisionError", False),
        ("def f(x): return b'x'", "not JSON serializable", True),
        ("def f(x): return bytearray(1 << 40)", "MemoryError", False),
        ("def f(x): open('big', 'wb').truncate(1 << 30)", "File too large", False),
        ("import os; os._exit(3)", "exit code 3", True),
        ("import os; os.abort()", "signal 6", True),
        ("import os\ndef f(x): os.write(4, b'yes\\n')", "it answers 'yes", True),
        ("import os, time; os.close(4); time.sleep(1000)", "closed its output", True),
        ("def f(x): return 'a' * (1 << 24)", "it answers", True),
    ],
)
def test_what_it_does_wrong_is_said(program, monkeypatch, tmp_path, code, said, ended):
    monkeypatch.chdir(tmp_path)
    with program(code) as running:
        with pytest.raises(ProgramError, match=said):
            running.ask(None, PATIENCE)
        assert running.ended == ended


def test_a_late_program_is_killed_with_what_it_began(program):
    code = (
        "import subprocess\ndef f(x):\n    if x: return subprocess.Popen(['sleep', '1000']).pid\n    while True: pass"
    )
    with program(code) as running:
        number = running.ask(1, PATIENCE)["answer"]
        with pytest.raises(LateError, match=r"0\.1 s"):
            running.ask(0, 0.1)
        until(lambda: gone(number))
        assert running.ended


def test_it_ends_with_the_process_that_began_it(program, tmp_path):
    program("import time\ndef f(x): pass").close()
    code = (
        "import os, sys; from analysis.common.programs import Program\n"
        "p = Program(*sys.argv[1:]); p.ask(0, 300); print(p._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "service.py"), str(tmp_path / "own.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    until(lambda: gone(int(done.stdout)))
