"""What the site needs besides docs/: the README as its start, and the addresses that F1 opens in Blender."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

SOURCE = Path(__file__).resolve().parent.parent
REDIRECT = """<!doctype html><meta charset="utf-8"><title>Manual</title>
<script>location.replace("../../{page}/" + location.hash)</script><a href="../../{page}/">{page}</a>
"""


def on_config(config: Any) -> None:
    """Name the address that the site will have, which every page and the map of the site hold."""
    website = tomllib.loads((SOURCE / "tools" / "project.toml").read_text(encoding="utf-8"))["website"]
    config["site_url"] = (website["value"] or website["placeholder"]).rstrip("/") + "/"


def on_files(files: Any, config: Any) -> Any:
    """Add the start page."""
    text = re.sub(r"(\]\()docs/", r"\1", (SOURCE / "README.md").read_text(encoding="utf-8"))
    files.append(File.generated(config, "index.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let what leads to the README lead to the start page."""
    return markdown.replace("](../README.md", "](index.md")


def on_post_build(config: Any) -> None:
    """Lead from docs/NAME.md, where F1 looks, to the page NAME, and to the same line of it."""
    for page in Path(config["docs_dir"]).glob("*.md"):
        folder = Path(config["site_dir"]) / "docs" / page.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(REDIRECT.format(page=page.stem), encoding="utf-8")
