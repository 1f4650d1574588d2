"""Make a release of what is committed: the zip, the wheel, and what is told with them, or nothing at all.

    python tools/release.py --output build/release [--project FILE]

Needs a Python that has Blender as a module. Everything is made in a copy, in which values of `tools/project.toml` take
the place of their placeholders; the zip is installed in an empty Blender, the wheel in an empty Python, both are tried.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PAGE = Path("tools/page_of_the_extension.md")
ADDRESS, MAIL = r"https?://[^\s/]+\S*", r"[^\s@<>]+@[^\s@<>]+"
FORMS = {"website": ADDRESS, "tracker": ADDRESS, "contact": MAIL}
"""What pip and Blender take in these fields; what is none ends in a traceback of theirs."""

LONGEST = 10
"""Lines of the CHANGELOG for one version: what people want to know."""

TEXTS = {".cff", ".in", ".md", ".py", ".toml", ".yml"}
LEFT = """
Left for a person:
  1. look at the page's text and pictures ({page}, docs/pictures/store)
  2. git tag v{version} and push it, with the files above and the notes as the release
  3. upload the zip to extensions.blender.org, with that text, the pictures, and the tracker {tracker}
  4. upload the wheel to the index of Python packages
  5. put build/site (make site) where {website} leads
"""


def values_of(project: Path) -> dict[str, tuple[str, str]]:
    """The (placeholder, value) of each field, the longest placeholder first; ends the program where one is none."""
    fields = tomllib.loads(project.read_text(encoding="utf-8"))
    if empty := [name for name, field in fields.items() if not field["value"].strip()]:
        raise SystemExit(f"release: no file was made, as {project} does not say yet: {', '.join(empty)}")
    if wrong := [name for name, field in fields.items() if not re.fullmatch(FORMS.get(name, ".+"), field["value"])]:
        raise SystemExit(
            f"release: no file was made, as this is no https:// or mail address in {project}: {', '.join(wrong)}"
        )
    pairs = {name: (field["placeholder"], field["value"]) for name, field in fields.items()}
    return dict(sorted(pairs.items(), key=lambda pair: -len(pair[1][0])))


def notes_of(version: str, changelog: str) -> str:
    """What the CHANGELOG says of a version; ends the program where that is nothing or too much."""
    found = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    notes = found[1].strip() if found else ""
    if not notes or len(notes.splitlines()) > LONGEST:
        raise SystemExit(f"release: CHANGELOG.md needs a section {version} of 1 to {LONGEST} lines")
    return f"{notes}\n"


def run(*command: str | Path, folder: Path) -> str:
    """Run a command; what it prints. Ends the program where it fails."""
    done = subprocess.run(list(map(str, command)), cwd=folder, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nrelease: no file was made, as this failed: {' '.join(map(str, command))}")
    return done.stdout


def copy(tree: Path, values: dict[str, tuple[str, str]]) -> None:
    """Lay out what is committed, without tests, and fill in the values."""
    if run("git", "status", "--porcelain", folder=SOURCE):
        raise SystemExit("release: no file was made, as something here is not committed")
    for name in run("git", "ls-files", "-z", folder=SOURCE).split("\0"):
        if name and not name.startswith("tests/"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, tree / name)
    for path in (path for path in tree.rglob("*") if path.suffix in TEXTS and path.name != "project.toml"):
        text = path.read_text(encoding="utf-8")
        for placeholder, value in values.values():
            within = value if path.suffix == ".md" else json.dumps(value, ensure_ascii=False)[1:-1]  # within quotes
            text = text.replace(placeholder, within)
        path.write_text(text, encoding="utf-8", newline="\n")


def make(output: Path, project: Path) -> Path:
    """Build and try everything; the folder of the release, which is there only when no step has failed."""
    values = values_of(project)
    with tempfile.TemporaryDirectory(prefix="anim_curves_release_") as name:
        tree, made = Path(name) / "tree", Path(name) / "made"
        copy(tree, values)
        version = tomllib.loads((tree / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
        notes = notes_of(version, (tree / "CHANGELOG.md").read_text(encoding="utf-8"))
        for tool in ("build", "wheel"):
            sys.stdout.write(run(sys.executable, tree / "tools" / f"{tool}.py", "--output", made, folder=tree))
        (archive,) = made.glob(f"*-{version}.zip")
        (_wheel,) = made.glob(f"*-{version}-*.whl")
        demo = ("--zip", archive, "--output", Path(name) / "demo")
        sys.stdout.write(run(sys.executable, tree / "tools" / "demo.py", *demo, folder=tree))
        (made / f"notes-{version}.md").write_text(notes, encoding="utf-8")
        shutil.copy2(tree / PAGE, made)
        sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(made.iterdir())]
        (made / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
        return handed_over(made, output / version, {name: value for name, (_, value) in values.items()})


def handed_over(made: Path, target: Path, values: dict[str, str]) -> Path:
    """Put what was made in the place of an older try, and say what is left to do."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, target)
    sys.stdout.write("".join(f"{path}\n" for path in sorted(target.iterdir())))
    sys.stdout.write(LEFT.format(version=target.name, page=target / PAGE.name, **values))
    return target


def main() -> None:
    """Make a release into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=SOURCE / "build" / "release")
    parser.add_argument("--project", type=Path, default=SOURCE / "tools" / "project.toml")
    options = parser.parse_args()
    make(options.output.resolve(), options.project.resolve())


if __name__ == "__main__":
    main()
