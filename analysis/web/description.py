"""Describe the interface for programs as OpenAPI, from ``openapi.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from analysis.web.served import BID_FIELDS, LIST

TOLD = tomllib.loads((Path(__file__).parent / "openapi.toml").read_text(encoding="utf-8"))

DIGITS = {"pattern": "^[0-9]+$"}
PLAIN: dict[str, dict[str, Any]] = {
    **{name: {"type": name} for name in ("string", "integer", "number", "boolean", "object", "null")},
    "Count": {"type": ["integer", "string"], **DIGITS, "description": "A count; a decimal text from 2^53 on."},
    "State": {"type": "string", **DIGITS, "description": "A state, as the rules have it, in decimal digits."},
}


class Question(NamedTuple):
    """A question that the interface answers."""

    summary: str
    schema: str
    """The name of the answer."""
    fields: tuple[str, ...]
    """The fields that its query may have."""


QUESTIONS = {path: Question(what, of, tuple(names.split())) for path, (what, of, names) in TOLD["questions"].items()}
"""By path below the address of a solution."""

BATCH = "/positions"
"""The question that has a body."""


def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    fields = {name: _described(text) for name, text in TOLD["fields"].items()}
    listed = {"summary": "All solutions that are served", "responses": {"200": _response("Found.", "Solutions")}}
    paths = {f"/{{id}}{path}": _operation(path, question) for path, question in QUESTIONS.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": TOLD["title"], "version": "1", "description": TOLD["about"]},
        "servers": [{"url": "/api/v1"}],
        "components": {"schemas": {name: _answer(what, of, fields) for name, (what, of) in TOLD["answers"].items()}},
        "paths": paths | {f"/{LIST}": {"get": listed}},
    }


def _schema(kind: str) -> dict[str, Any]:
    if kind.endswith("?"):
        return {"anyOf": [_schema(kind[:-1]), PLAIN["null"]]}
    if kind.startswith("["):
        return {"type": "array", "items": _schema(kind[1:-1])}
    if "/" in kind:
        return {"enum": kind.split("/")}
    if "|" in kind:
        return {"anyOf": list(map(_schema, kind.split("|")))}
    found: dict[str, Any] = PLAIN.get(kind, {"$ref": f"#/components/schemas/{kind}"})
    return found


def _described(text: str) -> dict[str, Any]:
    kind, _, what = text.partition(": ")
    return {**_schema(kind), **({"description": what} if what else {})}


def _answer(what: str, names: str, fields: dict[str, Any]) -> dict[str, Any]:
    properties, required = {}, []
    for each in names.split():
        name, _, kind = each.rstrip("~").partition(":")
        properties[name] = _schema(kind) if kind else fields[name]
        required += [name] * (not each.endswith("~"))
    closed = {"properties": properties, "required": required, "additionalProperties": False}
    return {"type": "object", "description": what, **closed}


def _operation(path: str, question: Question) -> dict[str, Any]:
    own: list[dict[str, Any]] = [{"name": "id", "in": "path", "required": True, "schema": PLAIN["string"]}]
    for name in (*question.fields, *(BID_FIELDS[1:] if path == "/position" else ())):
        kind, _, what = TOLD["parameters"][name].partition(": ")
        own.append({"name": name, "in": "query", "schema": _schema(kind), "description": what})
    operation = {
        "summary": question.summary,
        "parameters": own,
        "responses": {
            "200": _response("Found.", question.schema),
            "400": _response("The request is invalid.", "Error"),
            "404": _response("There is no such solution or answer.", "Error"),
        },
    }
    if path != BATCH:
        return {"get": operation}
    return {"post": operation | {"requestBody": {"required": True, "content": _content("Batch")}}}


def _response(what: str, schema: str) -> dict[str, Any]:
    return {"description": what, "content": _content(schema)}


def _content(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": _schema(schema)}}
