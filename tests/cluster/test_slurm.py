"""The script of docs/server.md, handed to a real Slurm: 1,000 recordings, two nodes, one of which loses its power."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import slurm

SOURCE = Path(__file__).resolve().parents[2]
RECORDINGS, DAMAGED_EVERY, PARTS = 1000, 50, 8
BEFORE_THE_CUT = 150
Writer = Callable[[Path, int, int], tuple[set[str], set[str]]]


@pytest.fixture
def cluster(tmp_path: Path, blender: Path) -> Iterator[slurm.Slurm]:
    """Slurm with two idle nodes, which have that Blender."""
    if reason := slurm.missing():
        pytest.skip(reason)
    machine = slurm.Slurm(tmp_path / "slurm")
    try:
        machine.start()
        yield machine
    finally:
        machine.stop()


def script_of_the_page(folder: Path) -> Path:
    """What a person copies out of docs/server.md."""
    page = (SOURCE / "docs" / "server.md").read_text(encoding="utf-8")
    path = folder / "import.sh"
    path.write_text(page.split("```sh\n")[1].split("```")[0], encoding="utf-8")
    return path


def names(folder: Path, ending: str) -> set[str]:
    return {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*{ending}")}


def rows_of(results: Path) -> list[dict[str, str]]:
    """The rows of all parts, without the lines that a cut made."""
    rows = []
    for path in results.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
    return rows


def idle(cluster: slurm.Slurm) -> bool:
    return not cluster.say("squeue", "--noheader")


def finish(cluster: slurm.Slurm) -> None:
    """Wait until nothing is left to do; a part that was put back starts now, not in two minutes.

    A part whose node was lost in the moment of its start is put back and held, which a person would release by hand.
    """

    def done() -> bool:
        for job in cluster.say("squeue", "--noheader", "--array", "--states=PENDING", "--format=%i %r").splitlines():
            number, _, reason = job.partition(" ")
            if reason == "BeginTime":
                cluster.say("scontrol", "update", f"JobId={number}", "StartTime=now")
            elif "held" in reason:
                cluster.say("scontrol", "release", number)
        return idle(cluster)

    slurm.wait_for("the end of the job", done, 1500)


def test_a_thousand_recordings_survive_a_power_cut(cluster: slurm.Slurm, write_takes: Writer, tmp_path: Path) -> None:
    """Every good file is made once, every damaged one is named, and the same job again makes nothing."""
    takes, blends, results = (tmp_path / name for name in ("takes", "blends", "results"))
    good, damaged = write_takes(takes, RECORDINGS, DAMAGED_EVERY)
    job = ["sbatch", f"--array=1-{PARTS}", f"--output={tmp_path}/part_%a.log", "--open-mode=append"]
    job += [str(script_of_the_page(tmp_path)), str(PARTS), str(takes), str(blends), str(results)]
    begun = time.monotonic()
    cluster.say(*job)

    def in_the_middle() -> bool:
        return len(names(blends, ".blend")) >= BEFORE_THE_CUT and bool(cluster.workers("node2"))

    slurm.wait_for("work on the second node after the first files", lambda: in_the_middle() or idle(cluster), 600)
    assert not idle(cluster), cluster.log("slurmctld") + (tmp_path / "part_1.log").read_text(encoding="utf-8")
    killed = cluster.cut_power("node2")
    at_the_cut = len(names(blends, ".blend"))
    assert at_the_cut < len(good)
    slurm.wait_for("the loss to be seen", lambda: cluster.is_down("node2"), 300)
    cluster.start_node("node2")
    finish(cluster)
    took = time.monotonic() - begun

    assert names(blends, ".blend") == good
    rows = rows_of(results)
    made = Counter(Path(row["file"]).relative_to(takes).with_suffix("").as_posix() for row in rows if "output" in row)
    assert made == Counter(good)
    told = {Path(row["file"]).relative_to(takes).with_suffix("").as_posix() for row in rows if "error" in row}
    assert told == damaged
    assert all(
        path.read_bytes()[:7] == b"BLENDER" and b"ENDB" in path.read_bytes()[-200:] for path in blends.rglob("*.blend")
    )
    assert not names(blends, ".blend@")

    before = {path: path.stat().st_mtime_ns for path in blends.rglob("*")}
    cluster.say(*job)
    finish(cluster)
    assert {path: path.stat().st_mtime_ns for path in blends.rglob("*")} == before
    sys.stdout.write(
        f"\n{RECORDINGS} recordings in {PARTS} parts on 2 nodes, {took:.0f} s; power of one node cut at {at_the_cut}, "
        f"{killed} processes killed; {len(good)} made once, {len(told)} damaged ones named; again: nothing made\n"
    )
