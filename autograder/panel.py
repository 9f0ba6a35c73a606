"""Showing an exercise's result: as HTML for a notebook or a feedback page, and as plain text. Everything is escaped."""

from __future__ import annotations

import re
from html import escape
from typing import Iterator

from autograder.heatmap import heat_maps
from autograder.results import CheckResult, CounterexampleResult, ExerciseResult

MARKS = {"correct": "✓", "wrong": "✗", "raised": "✗", "limit": "✗", "not_attempted": "–", "unreadable": "–", "grader_fault": "!"}
WORDS = {"correct": "holds", "wrong": "does not hold", "raised": "raised an error", "limit": "ran over a limit",
         "not_attempted": "not attempted", "unreadable": "not readable", "grader_fault": "the grader's own fault"}
AGAIN = "The same as above."
_COLOURS = {"correct": "#0b6e4f", "wrong": "#a3260c", "raised": "#a3260c", "limit": "#a3260c"}


def headline(result: ExerciseResult) -> str:
    """One line: how many checks hold, and how many were not run."""
    held = sum(check.outcome == "correct" for check in result.checks)
    line = f"{result.name}: {held} of {len(result.checks)} checks hold, {result.score:g} of {result.max_score:g} points"
    if result.hidden_checks_not_run:
        count = result.hidden_checks_not_run
        line += f" · {count} hidden check{'s' if count > 1 else ''} not run here (grading runs {'them' if count > 1 else 'it'})"
    return line


def as_text(result: ExerciseResult) -> str:
    """The whole panel as plain text."""
    if _untouched(result):
        return f"{headline(result)}\n  – {result.checks[0].message}"
    lines = [headline(result)]
    for check, again in _with_repeats(result.checks):
        kind = " (hidden)" if check.visibility == "hidden" else ""
        lines.append(f"  {MARKS[check.outcome]} {check.title}{kind}  [{check.points:g}/{check.max_points:g}]")
        if check.outcome != "correct":
            lines += [f"      {line}" for line in ([AGAIN] if again else failure_lines(check))]
    lines += [f"  note: {remark}" for remark in result.remarks]
    return "\n".join(lines)


def _untouched(result: ExerciseResult) -> bool:
    """Whether there is no answer at all: then there is one thing to say, and not one a check."""
    return bool(result.checks) and not result.remarks and all(check.outcome == "not_attempted" for check in result.checks)


def _with_repeats(checks: list[CheckResult]) -> Iterator[tuple[CheckResult, bool]]:
    """Each check, and whether the very same was said of one before it: one cause is told once."""
    said: set[str] = set()
    for check in checks:
        yield check, check.outcome != "correct" and check.message in said
        if check.outcome != "correct" and check.message:
            said.add(check.message)


def failure_lines(check: CheckResult) -> list[str]:
    """A failure in the one format: what, smallest input, expected, got, where, three lines to reproduce it, a hint."""
    lines = [check.message] if check.message else []
    example = check.counterexample
    if example is not None:
        if example.inputs:
            lines.append(f"smallest input that shows it{' (not one of the hidden ones)' if check.visibility == 'hidden' else ''}:")
        for name, text in example.inputs.items():
            lines += _indented(f"{name} = ", text)
        for head, text in _compared(example):
            lines += [f"{head}:", *_indented("", text)]
        lines += ["to see it yourself, run below your answer:", *(f"    {line}" for line in example.reproduce)]
    if check.outcome == "wrong" and check.hint:  # an error or a limit has told its own cause
        lines.append(f"hint: {check.hint}")
    return lines


def _compared(example: CounterexampleResult) -> list[tuple[str, str]]:
    """What was expected, got and returned, each with a heading that names the quantity."""
    what = f" ({example.what})" if example.what else ""
    rows = [(f"expected{what}", example.expected), (f"got{what}", example.got), ("your function returned", example.returned)]
    return [(head, text) for head, text in rows if text is not None]


def _indented(head: str, text: str) -> list[str]:
    first, *rest = text.split("\n")
    return [f"    {head}{first}", *(f"    {' ' * len(head)}{line}" for line in rest)]


def as_html(result: ExerciseResult) -> str:
    """The whole panel as HTML without scripts; outcomes are told by sign and word, not by colour alone."""
    rows = f'<div>{_prose(result.checks[0].message)}</div>' if _untouched(result) else f'<div role="list">{"".join(_row(check, again) for check, again in _with_repeats(result.checks))}</div>'
    remarks = "".join(f"<li>{_prose(remark)}</li>" for remark in result.remarks)
    notes = f'<ul style="margin:.4em 0 0 1.2em;padding:0">{remarks}</ul>' if remarks else ""
    good = all(check.outcome == "correct" for check in result.checks)
    colour = _COLOURS["correct"] if good else _COLOURS["wrong"]
    return (f'<div class="autograder-panel" style="border:1px solid #bbb;border-left:5px solid {colour};border-radius:3px;'
            f'padding:.5em .8em;margin:.3em 0;max-width:60em;line-height:1.4;color:#111;background:#fff;text-align:left">'
            f'<div style="font-weight:600">{escape(headline(result))}</div>{rows}{notes}</div>')


def _prose(text: str) -> str:
    """A sentence with what stands in backquotes set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _row(check: CheckResult, again: bool) -> str:
    colour = _COLOURS.get(check.outcome, "#444")
    kind = ' <span style="color:#555">(hidden check)</span>' if check.visibility == "hidden" else ""
    head = (f'<span style="color:{colour};font-weight:700" aria-hidden="true">{MARKS[check.outcome]}</span> '
            f'<span>{_prose(check.title)}</span>{kind} '
            f'<span style="color:#555;white-space:nowrap">— {WORDS[check.outcome]}, {check.points:g} of {check.max_points:g}</span>')
    if check.outcome == "correct":
        return f'<div role="listitem" style="margin-top:.25em">{head}</div>'
    return (f'<div role="listitem" style="margin-top:.4em"><div role="heading" aria-level="3">{head}</div>'
            f'<div style="margin:.2em 0 .6em 1.3em">{AGAIN if again else _failure(check)}</div></div>')


def _failure(check: CheckResult) -> str:
    parts = [f"<div>{_prose(check.message)}</div>"] if check.message else []
    example = check.counterexample
    if example is not None:
        own = " (not one of the hidden inputs)" if check.visibility == "hidden" else ""
        table = [(name, text) for name, text in example.inputs.items()]
        table += _compared(example)
        pictures = heat_maps(example.maps) if example.maps is not None else ""
        intro = f"The smallest input that shows it{own}:" if example.inputs else "What it gives:"
        parts.append(f'{_example(intro, table) if table else ""}{pictures}'
                     f'<div>To see it yourself, run below your answer:</div><div style="margin-left:1em">'
                     f'{_pre(chr(10).join(example.reproduce), wrap=True)}</div>')
    if check.outcome == "wrong" and check.hint:  # an error or a limit has told its own cause
        parts.append(f'<div style="margin-top:.2em"><b>Hint.</b> {_prose(check.hint)}</div>')
    return "".join(parts)


def _example(caption: str, table: list[tuple[str, str]]) -> str:
    """Names and values as a table; the roles keep it one for a screen reader where a narrow page sets the cells one below the other."""
    rows = "".join('<tr role="row" style="background:none">'
                   '<th role="rowheader" scope="row" style="text-align:right;vertical-align:top;padding:.1em .7em .1em 0;font-weight:600;'
                   f'max-width:14em">{escape(name)}</th><td role="cell" style="text-align:left;padding:.1em 0">{_pre(text)}</td></tr>'
                   for name, text in table)
    return ('<div style="overflow-x:auto;margin:.3em 0">'
            '<table role="table" class="autograder-example" style="border-collapse:collapse;margin:0;border:none">'
            '<caption style="caption-side:top;text-align:left;padding:0 0 .1em;color:inherit;font-size:inherit;white-space:nowrap">'
            f'{caption}</caption>{rows}</table></div>')


def _pre(text: str, *, wrap: bool = False) -> str:
    style = "margin:0;padding:0;background:none;border:none;font-size:.92em;color:#111;"
    style += "white-space:pre-wrap;overflow-wrap:anywhere" if wrap else "white-space:pre;overflow-x:auto"
    return f'<pre style="{style}">{escape(text)}</pre>'
