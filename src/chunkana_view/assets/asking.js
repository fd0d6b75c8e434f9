"use strict";

// The form that searches for a question and shows the passages to read.
class Asking {
  static DELAY = 200; // milliseconds to wait after a key press

  // `chunks` returns all chunks to search, `cite` makes the citation of a passage, and `changed` is
  // called with the chunks of all passages, or null if there is no question.
  constructor({ chunks, cite, changed }) {
    Object.assign(this, { chunks, cite, changed });
    this.question = byId("question");
    this.budget = byId("budget");
    this.question.addEventListener("input", () => this.later());
    this.budget.addEventListener("input", () => this.later());
    this.question.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    byId("asking").hidden = false;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), Asking.DELAY);
  }

  focus() {
    byId("asking").open = true;
    this.question.focus();
  }

  // Return whether there is a question.
  end() {
    const had = Boolean(this.question.value);
    this.question.value = "";
    if (had) this.ask();
    return had;
  }

  ask() {
    clearTimeout(this.timer);
    const question = this.question.value.trim();
    const budget = Number(this.budget.value);
    this.index ??= question ? new WordIndex(this.chunks()) : undefined;
    const passages = question ? passagesOf(this.index.search(question), budget) : [];
    this.tell(question, passages, budget);
    byId("passages").replaceChildren(...passages.map((passage) => this.item(passage)));
    this.changed(question ? passages.flatMap(({ chunks }) => chunks) : null, question);
    this.highlight(question);
  }

  tell(question, passages, budget) {
    const chunks = passages.reduce((sum, passage) => sum + passage.chunks.length, 0);
    const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
    const found = passages.length
      ? `${counted(passages.length, "passage")} of ${counted(chunks, "chunk")}, ` +
        `${count(sizeOf(passages))} of ${count(budget)} characters`
      : "Nothing is found, or not within the budget";
    byId("handed").textContent = question ? found : "";
  }

  item(passage) {
    const [first, last] = [passage.chunks[0], passage.chunks.at(-1)];
    const [start, end] = [first.lines.split("–")[0], last.lines.split("–").at(-1)];
    const lines = start === end ? `line ${start}` : `lines ${start}–${end}`;
    const item = make("li");
    item.append(
      this.cite(passage, lines),
      make("p", first.path, "path"),
      make("div", passage.text, "passage"),
    );
    return item;
  }

  highlight(question) {
    const nodes = [...document.querySelectorAll(".handed, .passage")].map(({ firstChild }) => firstChild);
    const ranges = nodes.filter(Boolean).flatMap((node) =>
      findWords(node.data, question).map(([start, end]) => rangeIn(node, start, end)),
    );
    highlight("asked", ranges, 1);
  }
}
