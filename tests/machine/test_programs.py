"""Programs as processes: answers, ends, time limits, and nothing left running."""

import subprocess
import sys

import psutil
import pytest

from analysis.machine.programs import LateError, Program, ProgramError
from tests.support.program import PATIENCE, ROOT, until


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def gone(number: int) -> bool:
    return not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE


def test_it_answers_in_its_folder(tmp_path):
    with Program(python("import os\nwhile True: print(repr(input()), os.getcwd(), flush=True)"), tmp_path) as program:
        assert program.answer("a", PATIENCE) == f"'a' {tmp_path}"
        assert program.answer("b", PATIENCE) == f"'b' {tmp_path}"
    with pytest.raises(ProgramError):
        program.answer("c", PATIENCE)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["no-program-of-this-name"], "no-program-of-this-name"),
        (python("1 / 0"), "exit code 1: ZeroDivisionError"),
        (python("import os; os.abort()"), "signal 6"),
        (python("print('yes')"), "'yes'"),
        (python("bytearray(1 << 40)"), "MemoryError"),
        (python("print('a' * (1 << 24))"), "too long"),
    ],
)
def test_what_it_does_wrong_is_said(command, said):
    with Program(command) as program, pytest.raises(ProgramError, match=said):
        program.ask(None, PATIENCE)


def test_a_late_program_is_killed_with_what_it_began():
    code = "import subprocess; p = subprocess.Popen(['sleep', '1000']); print(p.pid, flush=True)"
    with Program(python(f"{code}\nwhile True: pass")) as program:
        number = program.ask(None, PATIENCE)
        with pytest.raises(LateError, match=r"0\.1 s"):
            program.ask(None, 0.1)
        until(lambda: gone(number))


def test_it_ends_with_the_process_that_began_it():
    code = (
        "import os; from analysis.machine.programs import Program\n"
        "p = Program(['sleep', '100']); print(p._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(python(code), cwd=ROOT, capture_output=True, text=True, check=False)
    until(lambda: gone(int(done.stdout)))
