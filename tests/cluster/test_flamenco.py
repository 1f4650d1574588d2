"""The Flamenco job type, compiled by a JavaScript engine with the manager's API in place of the manager.

The API is the one that Flamenco's page "Job Types" documents: `author.Task` and `author.Command` make plain things,
the job takes tasks, and a worker's command `exec` has an executable and a list of arguments, all of them strings.
The tasks are then done as a worker does them, and judged by what lies in the folder afterwards.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "flamenco" / "anim_curves_import.js"
MANAGER = """
const author = {
    Task(name, type) {
        if (!name.trim() || !type.trim()) throw new Error("author.Task(name, type): both are required");
        const task = {name: name, type: type, commands: []};
        task.addCommand = command => { task.commands.push(command); };
        return task;
    },
    Command(name, parameters) { return {name: name, parameters: parameters}; },
};
function compile(settings) {
    const tasks = [];
    compileJob({settings: settings, addTask(task) { tasks.push(task); }});
    return JSON.stringify(tasks);
}
"""
SETTING_TYPES = {"string": str, "int32": int, "float": float, "bool": bool}
TASK_TYPES = {"blender", "ffmpeg", "file-management", "misc"}
PARTS = 3


@pytest.fixture
def manager() -> MiniRacer:
    """A manager that has loaded the script."""
    engine = MiniRacer()
    engine.eval(MANAGER)
    engine.eval(SCRIPT.read_text(encoding="utf-8"))
    return engine


def compiled(manager: MiniRacer, settings: dict[str, Any]) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = json.loads(str(manager.eval(f"compile({json.dumps(settings)})")))
    return tasks


def test_the_settings_are_ones_that_the_add_on_shows(manager: MiniRacer) -> None:
    job_type = json.loads(str(manager.eval("JSON.stringify(JOB_TYPE)")))
    assert job_type["label"]
    for setting in job_type["settings"]:
        assert set(setting) <= {"key", "type", "subtype", "required", "default", "description", "propargs"}
        kind = SETTING_TYPES[setting["type"]]
        assert setting.get("required") or isinstance(setting["default"], kind)
        assert setting.get("subtype", "dir_path") in {"file_path", "dir_path", "file_name", "hashed_file_path"}
        assert setting["description"]


def test_each_part_is_a_task_of_plain_strings(manager: MiniRacer) -> None:
    tasks = compiled(manager, {"recordings": "/in put/takes", "blends": "/out", "parts": 100, "jobs": 4})
    assert len({task["name"] for task in tasks}) == len(tasks) == 100
    commands = [command for task in tasks for command in task["commands"]]
    assert {task["type"] for task in tasks} <= TASK_TYPES
    assert {command["name"] for command in commands} == {"exec"} and len(commands) == 100
    for command in commands:
        assert set(command["parameters"]) == {"exe", "args"} and command["parameters"]["exe"] == "{blender}"
        assert all(isinstance(argument, str) for argument in command["parameters"]["args"])
    assert "/in put/takes" in commands[0]["parameters"]["args"]


def test_the_tasks_make_every_good_file_and_name_the_damaged(
    manager: MiniRacer, blender: Path, write_takes: Callable[..., tuple[set[str], set[str]]], tmp_path: Path
) -> None:
    """A worker replaces {blender} and waits for exit code 0; a task that is tried again does no harm."""
    takes, blends = tmp_path / "takes", tmp_path / "blends"
    good, damaged = write_takes(takes, 30, 10)
    tasks = compiled(manager, {"recordings": str(takes), "blends": str(blends), "parts": PARTS, "jobs": 1})
    told: list[str] = []
    for task in [*tasks, tasks[0]]:
        parameters = task["commands"][0]["parameters"]
        call = [parameters["exe"].replace("{blender}", str(blender)), *parameters["args"]]
        run = subprocess.run(call, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        told += [row["file"] for row in rows if "error" in row]
    made = {path.relative_to(blends).with_suffix("").as_posix() for path in blends.rglob("*.blend")}
    assert made == good
    assert {Path(file).relative_to(takes).with_suffix("").as_posix() for file in told} == damaged
