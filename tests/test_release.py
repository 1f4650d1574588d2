"""A release is all of its files, tried, or none; what only people can say is in one file."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from by_path import load

SOURCE = Path(__file__).resolve().parent.parent
PROJECT = SOURCE / "tools" / "project.toml"
SAID = {"website": "https://curves.test", "tracker": "https://curves.test/bugs", "maintainer": "Somebody"}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/release.py as a module."""
    return load(SOURCE / "tools" / "release.py", "release_tool")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A copy of the file with the placeholders in which everything is said."""
    text = PROJECT.read_text(encoding="utf-8")
    for name, field in tomllib.loads(text).items():
        told = f'"{field["placeholder"]}"\nvalue = "'
        text = text.replace(told, told + SAID.get(name, "somebody@curves.test"))
    path = tmp_path / "filled.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_while_something_is_not_said_no_file_is_made(tool: ModuleType, filled: Path, tmp_path: Path) -> None:
    text = filled.read_text()
    for said, wrong, told in (
        (SAID["tracker"], " ", "yet: tracker"),
        ("@curves.test", "", "mail address in .*: contact"),
    ):
        filled.write_text(text.replace(said, wrong))
        with pytest.raises(SystemExit, match=f"no file was made, as .*{told}$"):
            tool.make(tmp_path / "release", filled)
    assert not (tmp_path / "release").exists()


def test_every_placeholder_is_used_and_none_is_elsewhere() -> None:
    """A longer one is replaced before the one that it begins with."""
    fields = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    listed = subprocess.run(["git", "ls-files"], cwd=SOURCE, capture_output=True, text=True, check=True)
    names = listed.stdout.splitlines()
    files = [SOURCE / name for name in names if name and not name.startswith("tests/") and name != "tools/project.toml"]
    text = "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)
    for field in sorted(fields.values(), key=lambda field: -len(field["placeholder"])):
        assert field["placeholder"] in text
        text = text.replace(field["placeholder"], "")
    assert "example.org" not in text


def test_the_changelog_tells_people_of_this_version_in_ten_lines(tool: ModuleType) -> None:
    version = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    assert "byte for byte" in tool.notes_of(version, (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert f"version: {version}\n" in (SOURCE / "CITATION.cff").read_text(encoding="utf-8")
    for changelog in ("## 0.9.0\n\nold\n", "## 1.0.0\n\n## 0.9.0\n\nold\n", "## 1.0.0\n" + "much\n" * 11):
        with pytest.raises(SystemExit, match=r"section 1\.0\.0 of 1 to 10 lines"):
            tool.notes_of("1.0.0", changelog)


def test_a_name_with_quotes_is_one_in_every_file(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ["blender_manifest.toml", "pyproject.toml", "CITATION.cff", "CONTRIBUTING.md"]
    monkeypatch.setattr(tool, "run", lambda *command, folder: "\0".join(files) if "ls-files" in command else "")
    name = 'Ada "Ö" \\ Co: 1 # 2'
    tool.copy(tmp_path, {"maintainer": ("Animation Curves I/O contributors", name), "tracker": ("A problem is", name)})
    manifest, project, citation, page = (tmp_path.joinpath(file).read_text(encoding="utf-8") for file in files)
    assert tomllib.loads(manifest)["maintainer"] == f"{name} <contact@example.org>"
    assert tomllib.loads(project)["project"]["authors"][0]["name"] == name
    assert f"  - name: {json.dumps(name, ensure_ascii=False)}\n" in citation and f"\n{name} best reported" in page


@pytest.mark.parametrize("failing", ["build.py", "wheel.py", "demo.py"])
def test_a_step_that_fails_leaves_no_file(
    tool: ModuleType, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def run(*command: object, folder: Path) -> str:
        del folder
        if Path(str(command[1])).name == failing:
            raise SystemExit(failing)
        if "ls-files" in command:
            return "blender_manifest.toml\0CHANGELOG.md\0"
        if "--output" in command:
            made = Path(str(command[-1]))
            made.mkdir(exist_ok=True)
            (made / {"build.py": "x-1.0.0.zip", "wheel.py": "x-1.0.0-py3.whl"}[Path(str(command[1])).name]).touch()
        return ""

    monkeypatch.setattr(tool, "run", run)
    with pytest.raises(SystemExit, match=failing):
        tool.make(tmp_path / "release", filled)
    assert not (tmp_path / "release").exists()


@pytest.mark.slow
@pytest.mark.once
def test_a_release(filled: Path, tmp_path: Path) -> None:
    """Of what is committed: in a tree with changes there is nothing to try."""
    pytest.importorskip("bpy")
    if subprocess.run(["git", "status", "--porcelain"], cwd=SOURCE, capture_output=True, check=True).stdout:
        pytest.skip("something here is not committed")
    command = [sys.executable, "tools/release.py", "--output", tmp_path / "release", "--project", filled]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Left for a person" in done.stdout and SAID["tracker"] in done.stdout
    made = {path.name: path for path in (tmp_path / "release" / "1.0.0").iterdir()}
    assert len(made) == 5 and "SHA256SUMS" in made
    for archive in (path for path in made.values() if path.suffix in {".zip", ".whl"}):
        with zipfile.ZipFile(archive) as opened:
            texts = [opened.read(name) for name in opened.namelist()]
        assert any(b"https://curves.test" in text for text in texts)
        assert not any(b"example.org" in text for text in texts)
