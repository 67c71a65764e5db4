"""Writes operations.py, lists.py and their async counterparts from the functions that openapi-python-client generated.

The generated functions take a client and have a module each. Here every operation becomes a method with the same
arguments, types and documentation. Run as:
facade.py <package folder>/<version> <document> <lists as JSON> <typed bodies as JSON>
"""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ERROR_SCHEMAS = {"Problem", "Error"}
MAX_PAGE_SIZE = 200
# Names of arguments in the generated function that differ from the names in the contract, each with the name in the
# contract. Earlier versions of the package used the generated names, so they stay valid (_options.py).
CLEAN = {"filter_": "filter"} | {f"meta_{name}": name for name in ("completed", "invite_code", "created_at", "updated_at")}


@dataclass
class Argument:
    name: str
    generated: str
    annotation: str
    default: str | None


@dataclass
class Operation:
    module: str
    name: str
    positional: list[Argument]
    keyword: list[Argument]
    result: str
    options: str
    docstring: str
    imports: dict[str, str]


def annotation_of(name: str, node: ast.expr, typed_body: str | None) -> str:
    """Returns the annotation of an argument; bodies and filters can also be dictionaries."""
    text = ast.unparse(node)
    if name in CLEAN and text.startswith("list["):
        return "Condition | Unset"
    dictionary = f"{typed_body}Dict" if typed_body and name == "body" else "Mapping[str, Any]"
    return re.sub(r"^(?=[A-Z])", f"{dictionary} | ", text) if name in {"body", "answers"} else text


def plain(name: str) -> str:
    """Normalises the name of a parameter, so that the names in the contract and in Python are equal."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"^meta_", "", name).lower())


def options_of(path: Path, document: Any, names: set[str]) -> str:
    """Returns the type of the options of an operation."""
    if "meta_completed" in names:
        return "FilterOptions"
    posts = {snake(item["post"]["operationId"]) for item in document["paths"].values() if "post" in item}
    return "PostOptions" if path.stem in posts else "CallOptions"


def docstrings_of(document: Any) -> dict[str, str]:
    """Returns docstrings with summary, description and parameters. The keys are the Python names of the operations."""
    shared = document["components"]["parameters"]
    docstrings: dict[str, str] = {}
    for item in document["paths"].values():
        for operation in (one for one in item.values() if isinstance(one, dict) and "operationId" in one):
            parameters = [*item.get("parameters", []), *operation.get("parameters", [])]
            found = [shared[one["$ref"].split("/")[-1]] if "$ref" in one else one for one in parameters]
            lines = [f"    {one['name']}: {flat(one['description'], 8)}" for one in found]
            description = [f"{operation['summary']}.", "", operation["description"].strip()]
            docstrings[snake(operation["operationId"])] = "\n".join([*description, *(["", "Args:", *lines] if lines else [])])
    return docstrings


def flat(text: str, indent: int) -> str:
    return textwrap.fill(" ".join(text.split()), 100, subsequent_indent=" " * indent)


def snake(operation_id: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", operation_id).lower()


def renamed(text: str, arguments: list[Argument]) -> str:
    """Replaces parameter names by their names in Python."""
    names = {plain(one.name): one.name for one in arguments}
    return re.sub(
        r"^    (\S+):", lambda found: f"    {names.get(plain(found[1]), found[1])}:", text, flags=re.MULTILINE
    )


def result_of(function: ast.FunctionDef) -> str:
    """Returns the annotation of the result without error schemas."""
    assert isinstance(function.returns, ast.Subscript)
    parts = ast.unparse(function.returns.slice).split(" | ")
    return " | ".join(part for part in parts if part not in ERROR_SCHEMAS) or "None"


def read(path: Path, document: Any, docstrings: dict[str, str], typed_bodies: dict[str, str]) -> Operation:
    module = ast.parse(path.read_text())
    imports = {
        alias.name: f"from {'.' * (node.level - 2)}{node.module} import {alias.name}"
        for node in module.body
        if isinstance(node, ast.ImportFrom) and node.level == 3 and (node.module or "").startswith("models.")
        for alias in node.names
    }
    [function] = [one for one in module.body if isinstance(one, ast.FunctionDef) and one.name == "sync_detailed"]
    spec = function.args
    typed_body = typed_bodies.get(path.stem)
    if typed_body:
        imports[f"{typed_body}Dict"] = f"from .dicts import {typed_body}Dict"
    keyword = [
        Argument(
            CLEAN.get(arg.arg, arg.arg),
            arg.arg,
            annotation_of(arg.arg, arg.annotation, typed_body),
            ast.unparse(default) if default else None,
        )
        for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        if arg.arg != "client" and arg.annotation
    ]
    positional = [Argument(arg.arg, arg.arg, ast.unparse(arg.annotation), None) for arg in spec.args if arg.annotation]
    tag, name = path.parent.name, path.stem
    description = renamed(docstrings[name], [*positional, *keyword])
    options = options_of(path, document, {arg.arg for arg in spec.kwonlyargs})
    return Operation(f"{tag}.{name}", name, positional, keyword, result_of(function), options, description, imports)


def signature(operation: Operation, keyword: list[Argument]) -> str:
    parts = ["self", *(f"{one.name}: {one.annotation}" for one in operation.positional), *(["*"] if keyword else [])]
    parts += [f"{one.name}: {one.annotation}" + (f" = {one.default}" if one.default else "") for one in keyword]
    return ", ".join([*parts, f"**options: Unpack[{operation.options}]"])


def arguments(operation: Operation) -> str:
    """Returns the arguments of the generated function."""
    return "{" + ", ".join(f"{one.generated!r}: {one.name}" for one in [*operation.positional, *operation.keyword]) + "}"


def docstring(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    return textwrap.indent(f'"""{escaped}\n"""', " " * 8)


def method(operation: Operation, awaited: bool) -> str:
    return (
        f"    {'async ' * awaited}def {operation.name}({signature(operation, operation.keyword)}) -> {operation.result}:\n"
        f"{docstring(operation.docstring)}\n"
        f"        return {'await ' * awaited}self._call({operation.module!r}, {arguments(operation)}, options)\n"
    )


def pagination(folder: Path, operation: Operation, summary: str, member: str, awaited: bool) -> tuple[str, str]:
    """Returns a method that iterates over all pages, and the imports of its items."""
    source = operation.imports[operation.result].split()[1].lstrip(".")
    page = ast.parse((folder / (source.replace(".", "/") + ".py")).read_text())
    [items] = [
        ast.unparse(node.annotation)
        for one in page.body
        if isinstance(one, ast.ClassDef)
        for node in one.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == member
    ]
    item = items.removeprefix("list[").removesuffix("]")
    sizes = {"page_size", "limit"}
    keyword = [
        Argument(one.name, one.generated, "int", str(MAX_PAGE_SIZE)) if one.name in sizes else one
        for one in operation.keyword
        if one.name not in {"page", "offset"}
    ]
    names = {one.name for one in operation.keyword}
    by = "changes" if "since" in names else "pages" if "page" in names else "offsets"
    paginate = f"{'Async' * awaited}ChangeFeed" if by == "changes" else f"{'async_' * awaited}paginate_{by}"
    result = f"{'Async' * awaited}{'ChangeFeed' if by == 'changes' else 'Iterator'}[{item}]"
    rest = f", {member!r}" if by == "offsets" else ""
    passed = ", ".join(f"{one.name!r}: {one.name}" for one in [*operation.positional, *keyword])
    text = (
        f"    def {operation.name}({signature(operation, keyword)}) -> {result}:\n"
        f'        """{summary}, over all pages; accepts the arguments of ``{operation.name}``."""\n'
        f"        return {paginate}(self._operations.{operation.name}, {{{passed}, **options}}{rest})\n"
    )
    return text, f"from .models import {item}"


HEAD = '"""{0}"""\n\nfrom __future__ import annotations\n\nimport datetime\n'
COLLECTIONS = (
    "from collections.abc import AsyncIterator, Iterator, Mapping\nfrom typing import Any, Literal, Unpack\n\n"
    "from .._options import CallOptions, FilterOptions, PostOptions\nfrom .._query import Condition\n"
)


def main(folder: Path, document: Any, lists: list[dict[str, str]], bodies: dict[str, str]) -> None:
    docstrings = docstrings_of(document)
    typed_bodies = {snake(operation_id): schema for operation_id, schema in bodies.items()}
    operations = [read(path, document, docstrings, typed_bodies) for path in sorted((folder / "api").glob("*/*.py")) if path.stem != "__init__"]
    imports = "\n".join(sorted({line for operation in operations for line in operation.imports.values()}))
    named = {operation.name: operation for operation in operations}
    for awaited in (False, True):
        prefix, kind = "async_" * awaited, "Async" * awaited
        (folder / f"{prefix}operations.py").write_text(
            HEAD.format("Every operation as a method. Generated by make sdk.")
            + COLLECTIONS
            + f"from .._{prefix}operations import {kind}OperationsBase\n{imports}\nfrom .types import UNSET, File, Unset\n\n\n"
            + f'API_VERSION = "{document["info"]["version"]}"\n"""The version of the contract."""\n\n\n'
            + f"class {kind}Operations({kind}OperationsBase):\n    _package = 'canvass_client.{folder.name}'\n\n"
            + "\n".join(method(operation, awaited) for operation in operations)
        )
        paginated = [pagination(folder, named[snake(one["operationId"])], one["summary"], one["member"], awaited) for one in lists]
        (folder / f"{prefix}lists.py").write_text(
            HEAD.format("Paginated lists. Generated by make sdk.")
            + COLLECTIONS
            + f"from .._pages import {kind}ChangeFeed, {prefix}paginate_offsets, {prefix}paginate_pages\n{imports}"
            + "\n".join(sorted({"", *(line for _, line in paginated)}))
            + f"\nfrom .{prefix}operations import {kind}Operations\nfrom .types import UNSET, Unset\n\n\n"
            + f'class {kind}Lists:\n    """Iterators over all pages of a list."""\n\n'
            + f"    def __init__(self, operations: {kind}Operations) -> None:\n        self._operations = operations\n\n"
            + "\n".join(text for text, _ in paginated)
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), json.loads(sys.argv[3]), json.loads(sys.argv[4]))
