"""One HTML page that needs nothing but itself: pieces that escape what they are given, and the whole."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from pipeline.deals.notation import Board, board_rows

STYLE = Path(__file__).with_name("page.css")


class Markup(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


class Column(NamedTuple):
    """Of a table: its head, and what it holds: number, words, or the name of the row."""

    head: str
    kind: str = "number"


TALL = 25
"""Rows from which on a table scrolls in its box."""


def html(text: object) -> Markup:
    """Anything as HTML."""
    return text if isinstance(text, Markup) else Markup(escape(str(text)))


def joined(parts: Iterable[object], between: str = "\n") -> Markup:
    """Pieces one after the other."""
    return Markup(between.join(map(html, parts)))


def element(tag: str, *content: object, **attributes: str) -> Markup:
    """An element; `class_` is the attribute class, `aria_label` is aria-label."""
    said = "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{said}>{joined(content, '')}</{tag}>")


class Section(NamedTuple):
    """A part of the page with its heading; `name` is its anchor."""

    name: str
    title: str
    content: Markup


def section(name: str, title: str, *content: object) -> Section:
    """A part of the page."""
    return Section(name, title, joined(content, ""))


def table(caption: str, columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> Markup:
    """A table in a box of its own, in which it scrolls where it is too wide, or too long."""
    heads = (element("th", column.head, scope="col", class_=column.kind) for column in columns)
    body = (element("tr", *map(_cell, columns, row)) for row in rows)
    inside = joined(
        [element("caption", caption), element("thead", element("tr", *heads)), element("tbody", joined(body))], ""
    )
    kind = "box tall" if len(rows) >= TALL else "box"
    return element("div", element("table", inside), class_=kind, tabindex="0", role="group", aria_label=caption)


def _cell(column: Column, content: object) -> Markup:
    if column.kind == "name":
        return element("th", content, scope="row", class_="name")
    return element("td", content, class_=column.kind)


def figure(plots: str, *caption: object) -> Markup:
    """A plot, as `plots.drawn` gives it, with what is to be known about it."""
    return element("figure", Markup(plots), element("figcaption", *caption))


def unfolding(summary: str, *content: object) -> Markup:
    """Something to unfold."""
    return element("details", element("summary", summary), *content)


def board(cards: Board) -> Markup:
    """A board to unfold, its red cards marked."""
    lines = (joined(map(_card, line.split()), " ") for line in board_rows(cards).splitlines())
    return unfolding("show", element("pre", joined(lines)))


def _card(name: str) -> Markup:
    return Markup(f"<i>{name}</i>" if name[1] in "DH" else name)


def beside(parts: Sequence[object]) -> Markup:
    """The same of one or two results: side by side where there is room, else below each other."""
    if len(parts) == 1:
        return html(parts[0])
    return element("div", *(element("div", part) for part in parts), class_="beside")


def page(title: str, head: Markup, sections: Sequence[Section], about: str) -> str:
    """The whole page: what comes first, links to the sections, and the sections; each heading says what it is about."""
    links = element(
        "nav", *(element("a", part.title, href=f"#{part.name}") for part in sections), aria_label="Contents"
    )
    parts = (
        element(
            "section",
            element("h2", part.title, " ", element("small", about), id=part.name),
            part.content,
            aria_labelledby=part.name,
        )
        for part in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{joined([head, links, *parts])}\n</main>\n</body>\n</html>\n"
    )
