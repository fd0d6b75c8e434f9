"""A small repository of mixed files."""

from __future__ import annotations

import json
from pathlib import Path

from tests import corpora

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
    "trip.ipynb": corpora.NOTEBOOK,
}
FORMATS = {
    "README.md": "markdown",
    "docs/guide.md": "markdown",
    "docs/notes.txt": "text",
    "LICENSE": "text",
    "src/app.py": "python",
    "src/prices.py": "python",
    "web/cart.ts": "typescript",
    "package.json": "json",
    "trip.ipynb": "notebook",
}


def write(folder: Path) -> None:
    """Write the files of the repository."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
