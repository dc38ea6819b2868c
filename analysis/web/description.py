"""Describe the interface for programs as OpenAPI, from its questions and the names in ``openapi.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from analysis.web.answers import BATCH, QUESTIONS
from analysis.web.served import BID_FIELDS, LIST

DIGITS = {"pattern": "^[0-9]+$"}
PLAIN: dict[str, dict[str, Any]] = {
    **{name: {"type": name} for name in ("string", "integer", "number", "boolean", "object", "null")},
    "Count": {"type": ["integer", "string"], **DIGITS, "description": "A count; a decimal text from 2^53 on."},
    "State": {"type": "string", **DIGITS, "description": "A state, as the rules have it, in decimal digits."},
}


def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    told = tomllib.loads((Path(__file__).parent / "openapi.toml").read_text(encoding="utf-8"))
    fields = {name: _described(text) for name, text in told["fields"].items()}
    listed = {"summary": "All solutions that are served", "responses": {"200": _response("Found.", "Solutions")}}
    paths = {f"/{{id}}{path}": _operation(path, told["parameters"]) for path in QUESTIONS}
    return {
        "openapi": "3.1.0",
        "info": {"title": told["title"], "version": "1", "description": told["about"]},
        "servers": [{"url": "/api/v1"}],
        "components": {"schemas": {name: _answer(what, of, fields) for name, (what, of) in told["answers"].items()}},
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


def _operation(path: str, parameters: dict[str, str]) -> dict[str, Any]:
    question = QUESTIONS[path]
    own: list[dict[str, Any]] = [{"name": "id", "in": "path", "required": True, "schema": PLAIN["string"]}]
    for name in (*question.fields, *(BID_FIELDS[1:] if path == "/position" else ())):
        kind, _, what = parameters[name].partition(": ")
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
