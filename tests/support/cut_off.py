"""Programs that solve a game in small shards while they are killed or have no room left, and what they tell about it.

They fork, so that every solve begins with all that is compiled already.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.program import ROOT
from tests.support.sharding import SMALL_RANGES, SMALL_SHARDS

NOTED = """
import os
from analysis.solving.sharded import driver, tasks
def noted(task, *more):
    def note(what):
        file = os.open(os.environ["TASKS_LOG"], os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        os.write(file, f"{what} {task.kind} {task.tier} {task.number}\\n".encode())
        os.close(file)
    note("begun")
    rows = tasks.perform(task, *more)
    note("done")
    return rows
driver.perform = noted
"""
"""Notes each task when it begins and once it has its record."""

FORKED = (
    SMALL_SHARDS
    + SMALL_RANGES
    + """
import json, os, random, signal, subprocess, sys, time
from pathlib import Path
from analysis.cli.main import main
from tests.support.sharding import bytes_of

spec, folder, options, times, seed, elsewhere = json.loads(sys.argv[1])
drawn, folder = random.Random(seed), Path(folder)
whole, cut, scratch = folder / "whole", folder / "cut", folder / "scratch"

def begin(directory, *more, first=lambda: None):
    "The command, in a process of its own that does something else first; what it says goes to a file."
    pid = os.fork()
    if pid == 0:
        first()
        with open(folder / "said", "wb") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        sys.argv = ["gametree", "solve", spec, "--sharded", "--workers", "2", "--out", str(directory), *options, *more]
        try:
            main()
        except SystemExit as error:
            os._exit(error.code or 0)
    return pid

def end(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

sys.argv = ["gametree", "solve", spec, "--sharded", "--out", str(folder / "warm"), *options]
try:
    main()
except SystemExit as error:
    assert not error.code
for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(each, signal.SIG_DFL)
began = time.monotonic()
assert end(begin(whole)) == 0
seconds = time.monotonic() - began
"""
)
"""Solves the game into ``warm``, in this process, and into ``whole``."""

KILLED = (
    NOTED
    + FORKED
    + """
Path(os.environ["TASKS_LOG"]).unlink()
more, came = ["--scratch", str(scratch)] if elsewhere else [], 0
while True:
    pid = begin(cut, *more)
    if came < times:
        time.sleep(drawn.uniform(0, 2.5 * seconds / (times + 1)))
        os.kill(pid, signal.SIGKILL)
    code = end(pid)
    if code >= 0:
        break
    came += 1
found = {"kills": came, "code": code, "said": (folder / "said").read_text(), "same": bytes_of(cut) == bytes_of(whole)}
print("\\n" + json.dumps(found))
"""
)

FILLED = (
    FORKED
    + """
small = folder / "small"
small.mkdir()
def mount(size, *options):
    how = ",".join([*options, f"size={size}"])
    subprocess.run(["mount", "-t", "tmpfs", "-o", how, "tmpfs", str(small)], check=True)
def taken():
    disk = os.statvfs(small)
    return (disk.f_blocks - disk.f_bfree) * disk.f_frsize

def attempt(size):
    "With so much room, and once more with enough if that did not do."
    mount(size, "remount")
    here = cut if elsewhere else small / "cut"
    more = ["--scratch", str(small / "scratch")] if elsewhere else []
    pid, most = begin(here, *more), 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        most = max(most, taken())
        time.sleep(0.001)
    code, said = end(pid), (folder / "said").read_text()
    begun = (here / ".partial" / "run.json").exists()
    mount("100m", "remount")
    again = end(begin(here, *more)) if code else 0
    same = bytes_of(here) == bytes_of(whole)
    left = [str(path) for path in small.rglob("*") if path.is_file() and not path.is_relative_to(here)]
    subprocess.run(["rm", "-r", str(here)], check=True)
    return {"size": size, "most": most, "code": code, "said": said, "begun": begun, "again": again, "same": same,
            "left": left}

mount("100m")
most = attempt("100m")["most"]
print("\\n" + json.dumps([attempt(drawn.randrange(4096, most)) for _ in range(times)]))
"""
)
"""Within a file system that is too small; ``elsewhere``: only scratch is there."""

UNPLUGGED = (
    FORKED
    + """
import shutil, threading
log, removed, before = folder / "log", folder / "removed", set()

def recorded(cut_at):
    "Note what is asked of the file system until it is cut off."
    file, lock = os.open(log, os.O_APPEND | os.O_CREAT | os.O_WRONLY), threading.RLock()
    real = {name: getattr(os, name) for name in ("fsync", "replace", "mkdir", "unlink", "rmdir")}
    numbers = iter(range(1, 1 << 30))
    def note(*about):
        number = next(numbers)
        os.write(file, (json.dumps([number, *about]) + "\\n").encode())
        if number == cut_at:
            os.kill(os.getpid(), signal.SIGKILL)
    def fsync(descriptor):
        with lock:
            real["fsync"](descriptor)
            note("synced", os.readlink(f"/proc/self/fd/{descriptor}"), os.fstat(descriptor).st_ino)
    def replace(source, target):
        with lock:
            real["replace"](source, target)
            note("moved", str(target), str(source), os.path.isdir(target))
    def mkdir(path, *more, **options):
        with lock:
            real["mkdir"](path, *more, **options)
            note("made", str(path))
    def unlink(path, *, dir_fd=None):
        whole = Path(path) if dir_fd is None else Path(os.readlink(f"/proc/self/fd/{dir_fd}"), path)
        with lock:
            if not whole.exists():
                raise FileNotFoundError(path)
            kept = removed / str(len(os.listdir(removed)))
            os.link(whole, kept)
            real["unlink"](path, dir_fd=dir_fd)
            note("gone", str(whole), str(kept))
    def rmdir(path, *, dir_fd=None):
        whole = Path(path) if dir_fd is None else Path(os.readlink(f"/proc/self/fd/{dir_fd}"), path)
        with lock:
            real["rmdir"](path, dir_fd=dir_fd)
            note("dropped", str(whole))
    os.fsync, os.replace, os.mkdir, os.unlink, os.rmdir = fsync, replace, mkdir, unlink, rmdir

def forget(pending, path):
    "All that was done in a folder is on the disk, and what was in a folder that is gone will not come back."
    for _, what, below, _ in pending.pop(path, []):
        if what == "dropped":
            for each in [each for each in pending if (each + "/").startswith(f"{below}/")]:
                del pending[each]

def lose():
    "What was not flushed is not there: bytes of files, and names that came, went or changed in a folder."
    synced, pending = set(before), {}
    for number, what, path, *more in map(json.loads, log.read_text().splitlines()):
        if what == "synced":
            synced.add(more[0])
            forget(pending, path)
        else:
            pending.setdefault(str(Path(path).parent), []).append((number, what, Path(path), more))
        if what == "moved" and more[1]:
            for old in [each for each in pending if (each + "/").startswith(more[0] + "/")]:
                pending[path + old.removeprefix(more[0])] = pending.pop(old)
    for root in (cut, scratch):
        for path in root.rglob("*"):
            if path.is_file() and path.stat().st_ino not in synced:
                os.truncate(path, drawn.choice([0, drawn.randint(0, path.stat().st_size)]))
    lost = 0
    for number, what, path, more in sorted((each for some in pending.values() for each in some), reverse=True):
        if drawn.random() < 0.5:
            continue
        lost += 1
        if what == "moved" and path.exists() and Path(more[0]).parent.is_dir() and not Path(more[0]).is_dir():
            path.replace(more[0])
        elif what == "made":
            shutil.rmtree(path, ignore_errors=True)
        elif what == "dropped":
            path.mkdir(parents=True, exist_ok=True)
        elif what == "gone" and not path.exists() and Path(more[0]).exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            os.link(more[0], path)
    return lost

def attempt(cut_at, *more):
    log.unlink(missing_ok=True)
    shutil.rmtree(removed, ignore_errors=True)
    removed.mkdir()
    before.clear()
    before.update(path.stat().st_ino for root in (cut, scratch) for path in root.rglob("*") if path.is_file())
    return end(begin(cut, "--scratch", str(scratch), *more, first=lambda: recorded(cut_at)))

def start():
    for path in (cut, scratch):
        shutil.rmtree(path, ignore_errors=True)

assert attempt(0) == 0
events = len(log.read_text().splitlines())
start()
found, cuts, lost = [], 0, 0
while True:
    code = attempt(drawn.randint(1, events) if cuts < times else 0)
    if code < 0:
        cuts, lost = cuts + 1, lost + lose()
        continue
    said, again = (folder / "said").read_text(), 0
    if code:
        again = attempt(0, "--force")
    left = [str(path) for path in scratch.rglob("*")]
    found.append({"code": code, "said": said, "again": again, "same": bytes_of(cut) == bytes_of(whole), "left": left})
    start()
    if cuts >= times:
        break
print("\\n" + json.dumps({"events": events, "cuts": cuts, "lost": lost, "found": found}))
"""
)
"""Cut off from power again and again, with a file system that keeps what was flushed, and of the rest what it likes."""


def run(
    program: str, spec: str, folder: Path, times: int, seed: int, *options: str, elsewhere: bool = False
) -> tuple[Any, list[str]]:
    """What a program finds that is killed so many ``times``, or has too little room as often, and which tasks were
    begun once more though they had been done.
    """
    arguments = json.dumps([spec, str(folder), options, times, seed, elsewhere])
    command = [sys.executable, "-c", program, arguments]
    log = folder / "tasks"
    found = subprocess.run(
        ["unshare", "--mount", *command] if program is FILLED else command,
        cwd=ROOT,
        env={**os.environ, "TASKS_LOG": str(log)},
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout.splitlines()[-1]), _again(log) if log.exists() else []


def _again(log: Path) -> list[str]:
    done, again = set(), []
    for what, _, task in (line.partition(" ") for line in log.read_text().splitlines()):
        if what == "done":
            done.add(task)
        elif task in done:
            again.append(task)
    return again
