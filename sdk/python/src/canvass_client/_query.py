from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

OPERATORS = ("=", "<", ">", "<=", ">=", "~")
Operator: TypeAlias = Literal["=", "<", ">", "<=", ">=", "~"]

Condition: TypeAlias = "str | float | bool | Sequence[Condition] | Mapping[Operator, str | float]"
"""A filter for an answer or meta field.

It is a value that the field must equal, a dictionary of comparisons such as ``{">=": 18, "<": 65}``, or a list of
filters that must all match.
"""


def query_string(parameters: Mapping[str, Any]) -> str:
    """Returns a query string.

    A list becomes one parameter for each item. A dictionary contains comparisons, as in ``{"age": {">=": 18}}``.
    """
    return "&".join(pair for name, value in parameters.items() for pair in _pairs(name, value))


def _pairs(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for operator, one in value.items():
            if operator not in OPERATORS:
                raise ValueError(f"{operator!r} is not an operator. Use one of {', '.join(OPERATORS)}")
            yield _pair(name, operator, one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _pairs(name, one)
    elif value is not None:
        yield _pair(name, "=", value)


def _pair(name: str, operator: str, value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quote(name, safe="") + operator.replace("<", "%3C").replace(">", "%3E") + quote(text, safe="")
