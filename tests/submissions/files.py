"""Odd files: encodings, JSON, and what is no notebook at all."""

from __future__ import annotations

import gzip
import json

from submissions.making import CORRECT, NOT_ATTEMPTED, RAISED, UNREADABLE, Odd, answers, changed, data_of, right, right_text, with_source

CAUSAL = answers()["causal_mask"]
UMLAUT = "# Größe der Maske: N × N, naïve\n" + CAUSAL


def encodings() -> list[Odd]:
    """The right notebook in other encodings, and with characters that no file should hold."""
    text, umlauts = right_text(), with_source("causal_mask", UMLAUT).decode()
    return [
        Odd("bom_utf8", CORRECT, "byte-order mark", b"\xef\xbb\xbf" + umlauts.encode()),
        Odd("bom_utf8_twice", CORRECT, "byte-order mark", 2 * b"\xef\xbb\xbf" + umlauts.encode()),
        Odd("bom_utf16le", CORRECT, "byte-order mark", b"\xff\xfe" + umlauts.encode("utf-16-le")),
        Odd("bom_utf16be", CORRECT, "byte-order mark", b"\xfe\xff" + umlauts.encode("utf-16-be")),
        Odd("utf16le_without_bom", CORRECT, "utf-16-le", umlauts.encode("utf-16-le")),
        Odd("utf16be_without_bom", CORRECT, "utf-16-be", umlauts.encode("utf-16-be")),
        Odd("utf32_with_bom", CORRECT, "utf-32", umlauts.encode("utf-32")),
        Odd("latin1_bytes", CORRECT, "not UTF-8", umlauts.encode("latin-1", "ignore")),
        Odd("one_latin1_byte_in_utf8", CORRECT, "not UTF-8", text.replace("def causal_mask", "# a\udce4b\\ndef causal_mask", 1)
            .encode("utf-8", "surrogateescape")),
        Odd("carriage_returns", CORRECT, "", text.replace("\n", "\r\n").encode()),
        Odd("carriage_returns_in_the_code", CORRECT, "", with_source("causal_mask", CAUSAL.replace("\n", "\r\n"))),
        Odd("nul_bytes_at_the_end", CORRECT, "NUL", text.encode() + bytes(512)),
        Odd("nul_in_the_code", CORRECT, "NUL character", with_source("causal_mask", CAUSAL.replace("return", "return\0 "))),
        Odd("bom_in_the_code", CORRECT, "byte-order mark", with_source("causal_mask", "\ufeff" + CAUSAL)),
        Odd("lone_surrogate_in_the_code", CORRECT, "half a character",
            json.dumps(json.loads(with_source("causal_mask", "# SURROGATE\n" + CAUSAL))).replace("SURROGATE", "\\ud83d").encode()),
        Odd("lone_surrogate_in_the_metadata", CORRECT, "", json.dumps(right() | {"metadata": {"author": "\ud800"}}).encode()),
        Odd("no_break_space_in_the_code", RAISED, r"causal_mask .*U\+00A0", with_source("causal_mask", CAUSAL.replace("return ", "return\xa0")),
            lost={"causal_mask": RAISED}),
        Odd("typographic_quotes_in_the_code", RAISED, r"causal_mask .*“", with_source("causal_mask", CAUSAL + "\nx = “a”\n"),
            lost={"causal_mask": RAISED}),
    ]



def json_that_is_read() -> list[Odd]:
    """JSON with oddities that Jupyter reads all the same."""
    text = right_text()
    source = json.dumps(CAUSAL)
    deep = 400 * "[" + 400 * "]"
    return [
        Odd("nan_and_infinity", CORRECT, "", text.replace('"execution_count": null', '"execution_count": NaN').replace(
            '"nbformat_minor": 5', '"nbformat_minor": -Infinity').encode()),
        Odd("duplicate_keys", CORRECT, "", text.replace(f'"source": {source}', f'"source": "def causal_mask(:", "source": {source}').encode()),
        Odd("two_lists_of_cells", CORRECT, "", text.replace('{\n "cells": [', '{\n "cells": [], "cells": [', 1).encode()),
        Odd("huge_float", CORRECT, "", text.replace('"nbformat_minor": 5', '"nbformat_minor": 5e999').encode()),
        Odd("nested_400_deep", CORRECT, "", text.replace('"nbformat": 4', f'"deep": {deep}, "nbformat": 4').encode()),
        Odd("line_breaks_inside_strings", CORRECT, "", text.replace(source, source.replace("\\n", "\n")).encode()),
        Odd("on_one_line", CORRECT, "", json.dumps(right(), separators=(",", ":")).encode()),
        Odd("conflict_in_the_outputs", CORRECT, "merge-conflict", _conflict('"execution_count": 7', '"execution_count": 12')),
        Odd("conflict_in_the_outputs_with_base", CORRECT, "merge-conflict",
            _conflict('"execution_count": 7', '"execution_count": 12', base='"execution_count": null')),
    ]


def _conflict(ours: str, theirs: str, *, base: str = "") -> bytes:
    """The right notebook with one line that says nothing of the code in conflict."""
    lines = right_text().split("\n")
    at = next(number for number, line in enumerate(lines) if "execution_count" in line)
    middle = [f"||||||| 0a1b2c3\n   {base},"] if base else []
    lines[at:at + 1] = [f"<<<<<<< HEAD\n   {ours},", *middle, f"=======\n   {theirs},\n>>>>>>> 4f5e6d7 (second try)"]
    return "\n".join(lines).encode()


def json_that_is_refused() -> list[Odd]:
    """What is no JSON, or JSON but no notebook."""
    text = right_text()
    source, other = json.dumps(CAUSAL), json.dumps("def causal_mask(N):\n    return None")
    conflict = f'"source":\n<<<<<<< HEAD\n{source}\n=======\n{other}\n>>>>>>> theirs\n'
    made = [
        ("empty_file", "empty", b""), ("white_space_only", "empty", b" \n\t\n"), ("zero_bytes", "NUL", bytes(4096)),
        ("truncated", r"line \d+, column", text[:len(text) // 2].encode()),
        ("truncated_inside_a_character", r"line \d+, column", with_source("causal_mask", UMLAUT).split("ß".encode())[0] + b"\xc3"),
        ("trailing_comma", r"line \d+, column", text.replace('"nbformat_minor": 5\n', '"nbformat_minor": 5,\n').encode()),
        ("conflict_between_answers", r"merge-conflict markers.*line \d+", text.replace(f'"source": {source}', conflict).encode()),
        ("conflict_never_closed", r"merge-conflict markers", ("<<<<<<< HEAD\n" + text).encode()),
        ("two_notebooks_in_a_row", r"line \d+, column", (text + text).encode()), ("json_in_a_string", "JSON string", json.dumps(text).encode()),
        ("a_list", "JSON list", json.dumps(right()["cells"]).encode()), ("a_string", "JSON string", b'"attention"'),
        ("a_number", "JSON number", b"42"), ("null", "JSON null", b"null"), ("true", "JSON boolean", b"true"),
        ("an_empty_object", "no list of cells", b"{}"), ("single_quotes", "line 2, column", repr(right()).replace("{", "{\n", 1).encode()),
        ("cells_null", "no list of cells", data_of(right() | {"cells": None})),
        ("cells_an_object", "no list of cells", data_of(right() | {"cells": {"0": right()["cells"][0]}})),
        ("huge_integer", "digits", text.replace('"nbformat_minor": 5', f'"nbformat_minor": {"9" * 5000}').encode()),
        ("nested_100000_deep", "nested", text.replace('"nbformat": 4', f'"deep": {100_000 * "["}, "nbformat": 4').encode()),
        ("5000_cells", "5,0.. cells", changed(lambda nb: nb["cells"].extend([{"cell_type": "code", "source": "1"}] * 5000))),
        ("a_megabyte_of_code", "characters", with_source("causal_mask", CAUSAL + "\n#" + "x" * 1_100_000)),
        ("pdf", "PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"), ("html_page", "HTML", b"<!DOCTYPE html>\n<html><body>Please log in</body></html>"),
        ("zip_archive", "zip", b"PK\x03\x04" + bytes(60)), ("gzip", "gzip", gzip.compress(text.encode(), mtime=0)),
        ("python_script", "line 1, column", b"# %%\n" + CAUSAL.encode()),
        ("lfs_pointer", "LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"),
    ]
    return [Odd(what, UNREADABLE, says, data) for what, says, data in made]


def nothing_in_it() -> list[Odd]:
    """Notebooks without answers."""
    nothing = {name: NOT_ATTEMPTED for name in answers() if "-" not in name}
    return [Odd("no_cells_at_all", NOT_ATTEMPTED, "missing", data_of(right() | {"cells": []}), lost=nothing, written=False),
            Odd("cells_that_are_no_cells", NOT_ATTEMPTED, "missing", data_of(right() | {"cells": [7, None, "x", [], {}]}), lost=nothing, written=False)]


def files() -> list[Odd]:
    """All of them."""
    return [*encodings(), *json_that_is_read(), *json_that_is_refused(), *nothing_in_it()]
