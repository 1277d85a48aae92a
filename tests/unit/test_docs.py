"""The documentation against the software: commands, links, settings, recipes, and the code that it shows."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from typer.main import get_command
from typer.testing import CliRunner

from corver.cli.app import app
from corver.config import RunConfig, load_config

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS: Any = get_command(app)
FENCE = re.compile(r"^```(\w+)(?: ([\w.]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOTTED = ("train", "zone")
"""Commands that hand `--section.key` on to the configuration."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the word behind it, its text."""

    language: str
    name: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*(part or "" for part in match.groups())) for match in FENCE.finditer(page.read_text())]


def block(page: Path, language: str, name: str) -> str:
    (found,) = [each.text for each in blocks(page) if (each.language, each.name) == (language, name)]
    return found


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


# -- commands ----------------------------------------------------------------------------------------------------------


def command_lines(page: Path) -> Iterator[tuple[str, bool]]:
    """Every `corver …` of a page with its continuation lines, and whether it is meant to be typed as it stands."""
    fence = ""
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines):
        opened = re.match(r"\s*```(\w*)", line)
        if opened:
            fence = "" if fence else opened[1] or "text"
            continue
        shown = re.match(r"(?:    )?(\$ )?(?:.*\| )?((?:\S*/)?corver (?!:).*)", line)
        if (fence == "sh" or (line.startswith("    ") and not fence)) and shown and not line.strip().startswith("#"):
            words = shown[2]
            follow = number + 1
            while follow < len(lines) and re.match(r"\s+\[", lines[follow]):
                words += " " + lines[follow].strip()
                follow += 1
            yield words, fence == "sh" or shown[1] is not None
        elif not fence:
            for inline in re.findall(r"`(corver [^`]+)`", line):
                yield inline, False


def is_option(word: str, options: set[str], command: str) -> bool:
    name = word.partition("=")[0]
    if name in options or name in ("--help", "--debug"):
        return True
    return command in DOTTED and (name == "--section.key" or name[2:] in settings())


def parse(words: str, *, whole: bool) -> None:
    """Walk down the commands and check the options; `whole`: the parser itself must take the line."""
    # What stands behind a wide gap or a comment is prose.
    rest = shlex.split(re.split(r" {3,}| # ", words)[0])[1:]
    command, path = COMMANDS, []
    while rest and getattr(command, "commands", None) and rest[0].strip("`") in command.commands:
        path.append(rest[0])
        command = command.commands[rest.pop(0)]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    if not path:
        known |= {"--version"}
        assert rest, f"{words}: names no command"
        assert re.match(r"--|COMMAND|…", rest[0]), f"{words}: there is no command {rest[0]}"
    for word in re.findall(r"(?<![\w-])--?[a-z][\w.-]*", " ".join(rest)):
        assert is_option(word, known, path[0] if path else ""), f"{words}: there is no option {word}"
    if whole and path and "--help" not in rest:
        command.make_context(" ".join(path), [word for word in rest if word != "--debug"])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_line_parses(page: Path) -> None:
    for words, whole in command_lines(page):
        parse(words, whole=whole)


def test_the_readme_shows_the_commands_that_a_newcomer_needs() -> None:
    shown = [words.split()[1] for words, whole in command_lines(ROOT / "README.md") if whole]
    assert {"index", "score", "train", "zone", "doctor"} <= set(shown)


@pytest.mark.parametrize(
    "words",
    [
        "corver scores texts.jsonl",
        "corver score texts.jsonl --index index --extract rules",
        "corver score texts.jsonl",
        "corver count index",
        "corver score texts.jsonl --index index --window wide",
        "corver train run.yaml --optimization.step 4",
    ],
)
def test_a_wrong_command_line_is_found(words: str) -> None:
    with pytest.raises(Exception, match=r"there is no|[Mm]issing|valid integer"):
        parse(words, whole=True)


# -- links -------------------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as hubs of Markdown make them."""
    text = FENCE.sub("", page.read_text())
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_resolves(page: Path) -> None:
    text = FENCE.sub("", page.read_text())
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{name_of(page)}: {target} leads nowhere"
        assert not anchor or anchor in anchors(found), f"{name_of(page)}: {target}: there is no such heading"


# -- settings ----------------------------------------------------------------------------------------------------------

REQUIRED = object()


def settings(model: type[BaseModel] = RunConfig, prefix: str = "") -> dict[str, Any]:
    """Every key of the configuration with its default as YAML would hold it; optional sections are keys themselves."""
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        options = getattr(field.annotation, "__args__", None) or (field.annotation,)
        section = next((each for each in options if isinstance(each, type) and issubclass(each, BaseModel)), None)
        default = REQUIRED if field.is_required() else field.get_default(call_default_factory=True)
        if section is None:
            found[prefix + name] = default if default is REQUIRED else json.loads(json.dumps(default))
            continue
        if type(None) in options:
            found[prefix + name] = None if default is None else {}
        found |= settings(section, f"{prefix}{name}.")
    return found


def documented() -> dict[str, Any]:
    rows = re.findall(r"^\| `([\w.]+)` \| (`.+?`|required) \|", (ROOT / "docs/training.md").read_text(), re.MULTILINE)
    known = {key for key, _ in rows}
    assert len(known) == len(rows), "a key stands twice"
    return {key: REQUIRED if default == "required" else yaml.safe_load(default.strip("`")) for key, default in rows}


def test_every_setting_is_documented_with_its_default() -> None:
    assert documented() == settings()


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs/training.md"], ids=name_of)
def test_recipes_are_valid(page: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(block(page, "yaml", "recipe.yaml"))
    assert load_config(recipe).policy.prompt == "few_shot"


# -- code --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a reader of the README has it after its first command."""
    folder = tmp_path_factory.mktemp("docs")
    for name in ("my.jsonl", "texts.jsonl"):
        (folder / name).write_text(block(ROOT / "README.md", "jsonl", name))
    with contextlib.chdir(folder):
        built = CliRunner().invoke(app, ["index", "build", "my.jsonl", "--output", "index"])
    assert built.exit_code == 0, built.stderr
    return folder


def test_the_readme_shows_what_score_prints(sandbox: Path) -> None:
    with contextlib.chdir(sandbox):
        result = CliRunner().invoke(app, ["score", "texts.jsonl", "--index", "index"])
    assert result.exit_code == 0
    decoder, text, shown = json.JSONDecoder(), block(ROOT / "README.md", "json", "output"), []
    while text.strip():
        row, end = decoder.raw_decode(text.lstrip())
        shown.append(row)
        text = text.lstrip()[end:]
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    # The fingerprint of the scorer changes with every version of its parts; only its form is promised.
    origins = [row.pop("scorer") for row in [*shown, *rows]]
    assert all(re.fullmatch(r"[0-9a-f]{16}", origin) for origin in origins)
    assert shown == rows


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(each.name == "run" for each in blocks(page))], ids=name_of
)
def test_code_that_is_shown_runs_and_prints_what_it_says(page: Path, sandbox: Path) -> None:
    """The blocks of a page marked `run`, one after the other, as a reader would type them.

    What a comment behind a print says, or the comments below it, is what is printed.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    said: list[str] = []
    with contextlib.chdir(sandbox), contextlib.redirect_stdout(printed):
        for number, each in enumerate(blocks(page)):
            if each.language == "python" and each.name == "run":
                exec(compile(each.text, f"{name_of(page)}, block {number}", "exec"), names)
                said += _said(each.text)
    assert printed.getvalue().splitlines() == said


def _said(code: str) -> list[str]:
    behind_a_print, said = False, []
    for line in code.splitlines():
        text, mark, comment = line.partition("# ")
        if text.strip().startswith("print(") and mark:
            said.append(comment)
        elif behind_a_print and mark and not text.strip():
            said.append(comment)
            continue
        behind_a_print = text.strip().startswith("print(")
    return said


def test_the_trainer_example_trains(sandbox: Path, tiny_model: Path) -> None:
    model = sandbox / "runs/demo/SmolLM2-135M-Instruct"
    model.parent.mkdir(parents=True)
    model.symlink_to(tiny_model)
    printed = io.StringIO()
    with contextlib.chdir(sandbox), contextlib.redirect_stdout(printed):
        exec(compile(block(ROOT / "README.md", "python", "train"), "README.md", "exec"), {"__name__": "__main__"})
    rows = [line for line in printed.getvalue().splitlines() if line.startswith("{'reward'")]
    assert len(rows) == 2
    assert all("corver/claims" in row for row in rows)
