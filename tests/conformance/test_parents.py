"""Auto-merging: leaves that are found are replaced by their parent, if most of it was found."""

from __future__ import annotations

from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Model
from tests.conformance.texts import assert_true, read

SECTION = "\n\n".join(
    f"Line {n} says of subject{{0}} that item{{0}}x{n} is there." for n in range(6)
)
BOOK = "# Book\n\n" + "\n\n".join(
    f"## subject{number}\n\n{SECTION.format(number)}" for number in range(12)
)


def book(framework: Framework, **options: Native) -> Native:
    """Return a retriever over sections of several leaves each."""
    given = {"chunking": framework.chunking(220), "returns": "parents", **options}
    return framework.make({"book.md": BOOK}, Model(), **given)


async def test_several_leaves_of_a_section_are_one_parent(framework: Framework) -> None:
    made = book(framework, max_parent_size=720)
    found = framework.ask(made, "Line says of subject6 that item6x1 item6x3 item6x5")
    assert_true(found, {"book.md": BOOK})
    section = f"## subject6\n\n{SECTION.format(6)}"
    assert section in found[0].text
    assert section not in read(found[1:])
    assert len(found) <= 4
    assert await framework.aask(made, "subject6 item6x1") == framework.ask(made, "subject6 item6x1")
    ((start, end),) = found[0].metadata["spans"]
    assert BOOK[start:end].strip() == section.strip()


def test_no_parent_exceeds_its_limit(framework: Framework) -> None:
    for limit in (300, 720, 1500):
        made = book(framework, max_parent_size=limit, k=50, fetch_k=200)
        for question in ("Line says that is there", "subject3", "Book"):
            found = framework.ask(made, question)
            spans = [tuple(span) for one in found for span in one.metadata["spans"]]
            assert found
            assert len(spans) == len({*spans})
            assert all(end - start <= limit for start, end in spans)
            scores = [one.score or 0 for one in found]
            assert scores == sorted(scores, reverse=True)


def test_a_ratio_decides_when_a_parent_is_returned(framework: Framework) -> None:
    made = book(framework, max_parent_size=720, fetch_k=3, k=3, search="dense")
    question = "subject6 item6x1 item6x3 item6x5"
    most = max(len(one.text) for one in framework.ask(made, question, ratio=0.1))
    least = max(len(one.text) for one in framework.ask(made, question, ratio=1.0))
    assert most > 400 > least
