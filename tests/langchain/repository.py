"""A small repository of mixed files, and what is true of chunks of any of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from langchain_community.document_loaders import DirectoryLoader, TextLoader
from langchain_core.documents import Document

FILES = {
    "README.md": "# Shop\n\nSells tea.\n\n## Install\n\nRun make install.\n\n## Use\n\nAsk.\n",
    "docs/guide.md": "# Guide\n\n## Prices\n\nPrices have no taxes in them.\n",
    "docs/notes.txt": "# of people asked: seven\n\nAll of them like tea, and none of them milk.\n",
    "LICENSE": "# Terms\n\nDo with it what you like.\n",
    "src/app.py": '''"""Users of the shop."""

import json


class UserService:
    """Reads and writes users."""

    limit = 10

    @cached
    def getUser(self, name: str) -> User:
        """Return the user of a name."""
        row = self.database.find("users", name)
        if row is None:
            raise KeyError(name)
        self.counter.increment("reads")
        return User(**json.loads(row))

    def close(self) -> None:
        """Disconnect from the database."""
        self.database.close()


def main() -> None:
    """Serve the shop."""
    UserService().serve(port=8080)
''',
    "src/prices.py": '''def add_tax(price, rate):
    """Return a price with its tax."""
    return round(price * (1 + rate), 2)
''',
    "web/cart.ts": """export class Cart {
  items: Item[] = [];

  addItem(item: Item): void {
    this.items.push(item);
  }

  emptyBasket(): void {
    this.items.length = 0;
  }
}
""",
    "package.json": json.dumps(
        {"name": "shop", "scripts": {"build": "tsc", "test": "vitest"}, "private": True}, indent=2
    ),
}


def write(folder: Path) -> None:
    """Write the files of the repository."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")


def load() -> list[Document]:
    """Load the repository in the working directory, as a user does."""
    loader = DirectoryLoader(
        ".", glob="**/*", loader_cls=TextLoader, loader_kwargs={"encoding": "utf-8"}
    )
    return sorted(loader.load(), key=lambda document: str(document.metadata["source"]))


def documents() -> list[Document]:
    """Return the files as documents."""
    return [Document(text, metadata={"source": name}) for name, text in FILES.items()]


def assert_exact(chunks: Iterable[Document], texts: dict[str, str] = FILES) -> None:
    """Assert that offsets and lines of chunks and parents are those of their texts."""
    for chunk in chunks:
        metadata = chunk.metadata
        text = texts[metadata["source"]]
        start, end = metadata["start_char"], metadata["end_char"]
        assert 0 <= start < end <= len(text)
        assert chunk.page_content[metadata["prefix_chars"] :].startswith(text[start:end])
        assert metadata["start_line"] == text.count("\n", 0, start) + 1
        assert metadata["end_line"] == text.count("\n", 0, end - 1) + 1
