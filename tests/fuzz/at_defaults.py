"""The same file as a person meets it: verified and converted at the default limits, in a process of 2 GiB.

Allowed: a file that says that it is verified and becomes a file of another format, or one sentence. Everything else is
a find, and so is a sentence which only says that memory ran out: what a file needs is reckoned before it is made.
"""

from __future__ import annotations

import io
import resource
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import judge
from judge import TookTooLongError, Verdict, Witness, memory_limit, time_limit, where

from io_formats.__main__ import main

BUDGET = 2 << 30
"""Bytes of address space: all that a process of `make fuzz` has, and what one with Blender in it is given beyond."""

SECONDS = 20.0
ENDINGS = (".bin", ".w3d", ".w3x", ".animx", ".animj", ".glb", ".csv", ".npz")
_OWN_ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animx"}
_REFUSALS_THAT_ARE_FINDS = ("there is not enough memory", "written again, it differs")


def confine() -> None:
    """Give this process, and no other, 2 GiB of address space for good."""
    resource.setrlimit(resource.RLIMIT_AS, (BUDGET, BUDGET))


def judge_at_defaults(name: str, sample: str, number: int, data: bytes) -> Verdict:
    """What `verify` and then `convert`, to another format for each number, make of these bytes."""
    ending = Path(sample).suffix or _OWN_ENDINGS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"damaged{ending}"
        path.write_bytes(data)
        verdict = run(["verify", str(path)])
        if verdict.outcome != "document":
            return verdict
        target = ENDINGS[number % len(ENDINGS)]
        verdict = run(["convert", str(path), str(path.with_name(f"converted{target}"))])
        left = [other.name for other in path.parent.iterdir() if other.name != path.name]
        if verdict.outcome == "refused" and left:
            return Verdict("find", f"convert: refused, but left {', '.join(left)}")
        return verdict


def run(command: Sequence[str]) -> Verdict:
    """One command of ours within time and memory: "document" when it went well, "refused" with a sentence."""
    said, complained = io.StringIO(), io.StringIO()
    started = time.process_time()
    code = None
    try:
        with (
            Witness() as witness,
            time_limit(judge.PATIENCE * SECONDS),
            memory_limit(BUDGET),
            redirect_stdout(said),
            redirect_stderr(complained),
        ):
            code = main(command)
    except TookTooLongError:
        return Verdict("find", f"{command[0]} hangs: stopped after {time.process_time() - started:.0f} s")
    if witness.error is not None:
        error = witness.error
        return Verdict("find", f"{command[0]}: {type(error).__name__}: {str(error)[:200]} {where(error)}")
    if code == 0:
        return Verdict("document")
    return _judge_sentence(command[0], (said.getvalue() + complained.getvalue()).strip())


def _judge_sentence(command: str, sentence: str) -> Verdict:
    if not sentence or len(sentence.splitlines()) != 1 or "Traceback" in sentence:
        return Verdict("find", f"{command}: not one clear sentence: {sentence[:300]!r}")
    return Verdict("find" if is_a_find(sentence) else "refused", f"{command}: {sentence}")


def is_a_find(sentence: str) -> bool:
    """Whether a refusal says what must not be: memory that was not reckoned, a file that is written otherwise."""
    return any(words in sentence for words in _REFUSALS_THAT_ARE_FINDS)
