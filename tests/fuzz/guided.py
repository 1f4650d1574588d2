"""Coverage-guided fuzzing of one codec with atheris, for as long as asked: `make atheris FORMAT=w3d SECONDS=600`."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

import atheris

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(SOURCE), str(Path(__file__).resolve().parent)]


def main() -> None:
    """Run until the time is over; libFuzzer keeps a find as build/fuzz/<format>-crash-..."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", default="mrtk")
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    with atheris.instrument_imports(include=["io_formats"]):
        package = importlib.import_module(f"io_formats.{options.format}")
        refusal = importlib.import_module("io_formats.errors").FormatError
    judge = importlib.import_module("judge").judge

    def one_input(data: bytes) -> None:
        verdict = judge(package, data, refusal)
        if verdict.outcome == "find":
            raise AssertionError(verdict.detail)

    corpus = SOURCE / "build" / "fuzz" / f"corpus_{options.format}"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes = SOURCE / "build" / "fuzz" / f"{options.format}-"
    limits = [f"-max_total_time={options.seconds}", "-max_len=65536", f"-artifact_prefix={crashes}"]
    seeds = str(SOURCE / "tests" / "data" / options.format)
    atheris.Setup([sys.argv[0], *limits, str(corpus), seeds], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
