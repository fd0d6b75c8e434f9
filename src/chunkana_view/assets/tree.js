"use strict";
// A tree of rows in pre-order, each with a range of chunks. The element of a row is created when its
// parent is opened; in long lists, when it comes close to the visible part.
class Tree {
  static MOST_OPEN = 200; // entries that are open at first
  static GROUP = 100; // entries of a long list that are created together
  static HEIGHT = 25; // pixels of an entry that is not created yet

  // `text` returns the label of a row; `choose` is called with the row that was clicked.
  constructor(element, rows, { text, choose }) {
    this.rows = rows;
    this.text = text;
    this.choose = choose;
    this.buttons = new Map();
    this.open = new Set();
    this.waiting = new Map(); // empty lists, with the rows that will fill them
    this.element = element;
    this.sight = new IntersectionObserver(
      (seen) => seen.forEach(({ isIntersecting, target }) => isIntersecting && this.fill(target)),
      { root: element.closest("nav"), rootMargin: "800px" },
    );
    element.append(this.level(0, 0, this.depthToOpen()));
    element.addEventListener("click", (event) => this.clicked(event.target.closest("button")));
  }

  // The number of levels that fit, at most two below the top.
  depthToOpen() {
    const counts = [0, 0, 0];
    for (const [depth] of this.rows) if (depth < 3) counts[depth]++;
    if (counts[0] + counts[1] > Tree.MOST_OPEN) return 0;
    return counts[0] + counts[1] + counts[2] > Tree.MOST_OPEN ? 1 : 2;
  }

  level(start, depth, open) {
    const places = [];
    for (let at = start; at < this.rows.length && this.rows[at][0] >= depth; at++) {
      if (this.rows[at][0] === depth) places.push(at);
    }
    const level = make("div", undefined, "level");
    const isLong = places.length > Tree.GROUP;
    for (let from = 0; from < places.length; from += Tree.GROUP) {
      const list = make("ul", undefined, isLong ? "long" : "");
      const group = places.slice(from, from + Tree.GROUP);
      this.waiting.set(list, { places: group, open });
      level.append(list);
      if (!isLong) {
        this.fill(list);
        continue;
      }
      list.style.height = `${group.length * Tree.HEIGHT}px`;
      this.sight.observe(list);
    }
    return level;
  }

  fill(list) {
    const group = this.waiting.get(list);
    if (!group) return;
    this.waiting.delete(list);
    this.sight.unobserve(list);
    list.append(...group.places.map((at) => this.item(at, group.open)));
    list.style.height = "";
  }

  item(at, open) {
    const [depth, title, first, last] = this.rows[at];
    const item = make("li");
    const entry = make("div", undefined, "entry");
    const fold = make("button", undefined, "fold");
    const go = make("button", undefined, "go");
    const hasChildren = this.rows[at + 1]?.[0] > depth;
    fold.setAttribute("aria-label", `Under ${title}`);
    if (!hasChildren) fold.classList.add("none");
    go.append(make("span", title), make("small", this.text(this.rows[at])));
    go.title = `${title}\nchunks ${first + 1}–${last + 1}`;
    for (const button of [fold, go]) {
      button.type = "button";
      button.dataset.row = at;
    }
    this.buttons.set(at, go);
    entry.append(fold, go);
    item.append(entry);
    if (hasChildren) this.unfold(fold, item, open > 0, open - 1);
    return item;
  }

  unfold(fold, item, open, deeper = 0) {
    const at = Number(fold.dataset.row);
    fold.setAttribute("aria-expanded", String(open));
    if (open) this.open.add(at);
    else this.open.delete(at);
    let level = item.querySelector(":scope > .level");
    if (open && !level) {
      level = this.level(at + 1, this.rows[at][0] + 1, deeper);
      item.append(level);
    }
    if (level) level.hidden = !open;
  }

  clicked(button) {
    if (!button) return;
    const at = Number(button.dataset.row);
    if (button.classList.contains("fold")) {
      this.unfold(button, button.closest("li"), button.getAttribute("aria-expanded") !== "true");
      return;
    }
    this.choose(this.rows[at]);
    this.current(at);
  }

  // Mark the innermost visible entry whose range contains a chunk.
  showCurrent(selected) {
    let found = -1;
    let folded = Infinity; // the depth of the closed entry that is being skipped
    this.rows.forEach(([depth, , first, last], at) => {
      if (depth > folded) return;
      folded = this.open.has(at) ? Infinity : depth;
      if (first <= selected && selected <= last) found = at;
    });
    this.current(found);
  }

  button(at) {
    for (const [list, { places }] of this.buttons.has(at) ? [] : this.waiting) {
      if (places[0] <= at && at <= places.at(-1)) this.fill(list);
    }
    return this.buttons.get(at);
  }

  current(at) {
    this.marked?.removeAttribute("aria-current");
    this.marked = at < 0 ? undefined : this.button(at);
    this.marked?.setAttribute("aria-current", "true");
    if (this.element.parentElement.open) this.marked?.scrollIntoView({ block: "nearest" });
  }
}
