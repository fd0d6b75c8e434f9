"use strict";
(() => {
  const source = byId("source");
  const leaves = [...source.querySelectorAll(".leaf")];
  const { chunks, limit, unit, has_contexts, outline, merge, colours } = JSON.parse(byId("chunks").textContent);
  const narrow = matchMedia("(max-width: 1040px)");
  let selected = -1;
  let range = [];

  // Sheets are laid out when they first come into sight; until then, their height is estimated.

  const LINE = 21; // pixels
  const AROUND = 30; // pixels above and below the lines of a chunk, together
  const COLUMNS = 110; // characters of a line in a wide window

  function heightOf(leaf) {
    const lines = leaf.textContent.split("\n");
    return AROUND + LINE * lines.reduce((sum, line) => sum + Math.ceil(line.length / COLUMNS || 1), 0);
  }

  for (const sheet of source.querySelectorAll(".large .sheet")) {
    const height = [...sheet.querySelectorAll(".leaf")].reduce((sum, leaf) => sum + heightOf(leaf), 0);
    sheet.style.containIntrinsicSize = `auto ${height}px`;
  }

  // Details

  function factsOf(chunk) {
    const facts = [
      ["Level", chunk.level],
      ["Type", chunk.kind],
      ["Lines", chunk.lines],
      ["Offsets", `${count(chunk.from)}–${count(chunk.to)}`],
      ["Id", chunk.id],
    ];
    if (chunk.container) facts.push(["Container", chunk.container]);
    if (chunk.tags) facts.push(["Also holds", chunk.tags.join(" · ")]);
    return facts;
  }

  function show(index) {
    byId("hint").hidden = index >= 0;
    byId("facts").hidden = index < 0;
    if (index < 0) return;
    const chunk = chunks[index];
    byId("which").textContent = `Chunk ${count(index + 1)} of ${count(chunks.length)}`;
    byId("path").textContent = chunk.path ?? "";
    byId("size").textContent = `${count(chunk.size)} of ${count(limit)} ${unit}`;
    const meter = byId("meter");
    meter.max = limit;
    meter.classList.toggle("over", chunk.size > limit);
    meter.value = chunk.size;
    const rows = factsOf(chunk).flatMap(([name, fact]) => [make("dt", name), make("dd", fact)]);
    byId("list").replaceChildren(...rows);
    byId("flags").replaceChildren(...Object.entries(chunk.flags ?? {}).map(([flag, why]) => {
      const item = make("li", undefined, flag.replaceAll(" ", "-"));
      item.append(make("b", flag), why);
      return item;
    }));
    const isIndexable = !("not indexable" in (chunk.flags ?? {}));
    byId("embedding").textContent = isIndexable ? "Embedded text" : "Not embedded, but would be";
    showEmbedded(chunk, leaves[index].textContent);
  }

  const aboveOf = ({ context = "", above = "" }) => context + above;

  function showEmbedded(chunk, own) {
    const above = make("span", aboveOf(chunk), "added");
    const below = make("span", chunk.below ?? "", "added");
    byId("embedded").replaceChildren(above, chunk.text ?? own, below);
    byId("embedded").scrollTop = 0;
  }

  // The embedded context of each chunk, shown next to its text, which is the source only.

  function showContexts(shown) {
    byId("context").setAttribute("aria-pressed", String(shown));
    leaves.forEach((leaf, at) => {
      const { below } = chunks[at];
      const above = aboveOf(chunks[at]);
      if (shown && above) leaf.previousElementSibling.dataset.above = above.trimEnd();
      else delete leaf.previousElementSibling.dataset.above;
      if (shown && below) leaf.dataset.below = below.trim();
      else delete leaf.dataset.below;
    });
  }

  const toggleContexts = () => showContexts(byId("context").getAttribute("aria-pressed") === "false");
  byId("context").addEventListener("click", toggleContexts);
  if (has_contexts) showContexts(true);

  // Selection

  function mark(first, last) {
    for (const leaf of range) leaf.classList.remove("ranged");
    range = first === last ? [] : leaves.slice(first, last + 1);
    for (const leaf of range) leaf.classList.add("ranged");
  }

  function select(index, { first = index, last = index, block = "nearest" } = {}) {
    if (index >= leaves.length || (index < 0 && selected < 0)) return;
    const isReading = source.contains(document.activeElement) || document.activeElement === document.body;
    leave(leaves[selected]);
    selected = index;
    mark(first, last);
    show(index);
    currentInTrees();
    if (index < 0) return;
    const leaf = leaves[index];
    enter(leaf, isReading);
    reveal(leaf, block);
    byId("status").textContent = first === last
      ? leaf.getAttribute("aria-label")
      : `Chunks ${count(first + 1)} to ${count(last + 1)}`;
  }

  // Only the selected chunk is in the focus order. A chunk is an article, so that screen readers
  // read its text, and not only its label.
  function leave(leaf) {
    leaf?.removeAttribute("aria-current");
    leaf?.removeAttribute("tabindex");
    source.tabIndex = 0;
  }

  function enter(leaf, focus) {
    leaf.setAttribute("aria-current", "true");
    leaf.tabIndex = 0;
    source.tabIndex = -1;
    if (focus) leaf.focus({ preventScroll: true });
  }

  // Scroll a second time: estimated heights are corrected once the chunks are laid out.
  function reveal(leaf, block) {
    const tall = leaf.offsetHeight > source.parentElement.clientHeight;
    const where = { block: tall ? "start" : block };
    leaf.scrollIntoView(where);
    requestAnimationFrame(() => leaf.scrollIntoView(where));
  }

  const step = (by) => select(Math.max(0, Math.min(leaves.length - 1, selected + by)));
  const leafAt = (event) => event.target.closest?.(".leaf");

  source.addEventListener("click", (event) => {
    const leaf = leafAt(event);
    if (leaf && getSelection().isCollapsed) select(leaves.indexOf(leaf));
  });
  source.addEventListener("mouseover", (event) => {
    if (selected < 0) show(leaves.indexOf(leafAt(event)));
  });
  source.addEventListener("mouseleave", () => selected < 0 && show(-1));
  byId("close").addEventListener("click", () => select(-1));

  // Copying: browsers would insert a line end between chunks, even inside a cut line.

  function exactText(range) {
    const within = document.createRange();
    within.selectNodeContents(source);
    if (!range.intersectsNode(source)) return "";
    if (range.compareBoundaryPoints(Range.START_TO_START, within) > 0) {
      within.setStart(range.startContainer, range.startOffset);
    }
    if (range.compareBoundaryPoints(Range.END_TO_END, within) < 0) {
      within.setEnd(range.endContainer, range.endOffset);
    }
    return within.toString();
  }

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const ranges = Array.from({ length: selection.rangeCount }, (_, at) => selection.getRangeAt(at));
    const text = ranges.map(exactText).join("");
    const isElsewhere = ranges.map(String).join("").trim() !== text.trim();
    if (!text || isElsewhere) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  });

  // Trees

  function selectRow([, , first, last]) {
    select(first, { first, last, block: "start" });
    if (narrow.matches) showTrees(false);
  }

  const trees = [
    new Tree(byId("outline"), outline, {
      text: ([, , first, last]) => `${count(last - first + 1)}`,
      choose: selectRow,
    }),
    new Tree(byId("merge"), merge, { text: ([, , , , size]) => count(size), choose: selectRow }),
  ];

  function currentInTrees() {
    for (const tree of trees) tree.showCurrent(selected);
  }

  function showTrees(open) {
    byId("trees").hidden = !open;
    byId("trees-toggle").setAttribute("aria-expanded", String(open));
    document.querySelector(".columns").classList.toggle("without-trees", !open);
  }

  byId("trees-toggle").addEventListener("click", () => showTrees(byId("trees").hidden));
  narrow.addEventListener("change", () => showTrees(!narrow.matches));
  showTrees(!narrow.matches);

  // Search

  const query = byId("query");
  const choice = byId("choice");
  let texts;
  let matches = [];

  function isOfKind(chunk) {
    const [, kind, name] = /^(\w*):?(.*)$/s.exec(choice.value);
    if (kind === "flag") return name in (chunk.flags ?? {});
    return !kind || chunk[kind] === name;
  }

  function search() {
    const wanted = query.value.trim().toLowerCase();
    const isSearching = Boolean(wanted || choice.value);
    texts ??= leaves.map((leaf, at) => `${leaf.textContent}\n${chunks[at].path ?? ""}\n${chunks[at].id}\n${chunks[at].container ?? ""}`.toLowerCase());
    matches = [];
    leaves.forEach((leaf, at) => {
      const found = isSearching && isOfKind(chunks[at]) && texts[at].includes(wanted);
      if (found) matches.push(at);
      leaf.classList.toggle("match", found);
    });
    source.classList.toggle("searching", isSearching);
    highlightFound(wanted);
    tellFound(isSearching);
  }

  function tellFound(isSearching) {
    const place = matches.indexOf(selected);
    const which = place < 0 ? "" : `${count(place + 1)} of `;
    byId("found").textContent = isSearching ? `${which}${count(matches.length)} found` : "";
  }

  function colour() {
    const ranges = colours.map(() => []);
    chunks.forEach(({ marks = [] }, at) => {
      const node = leaves[at].firstChild;
      for (let i = 0; node && i < marks.length; i += 3) {
        const [kind, start, end] = marks.slice(i, i + 3);
        ranges[kind].push(rangeIn(node, start, end));
      }
    });
    colours.forEach((name, kind) => highlight(name, ranges[kind]));
  }

  function highlightFound(wanted) {
    const found = [];
    for (const at of wanted ? matches.slice(0, 500) : []) {
      const node = leaves[at].firstChild;
      const text = node ? node.data.toLowerCase() : "";
      if (!node || text.length !== node.length) continue; // lower case changed the length, so offsets differ
      for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + wanted.length)) {
        found.push(rangeIn(node, i, i + wanted.length));
      }
    }
    highlight("found", found.slice(0, 5000), 1);
  }

  function toMatch(by) {
    if (!matches.length) return;
    const after = matches.findIndex((at) => at > selected);
    const before = matches.findLastIndex((at) => at < selected);
    const place = by > 0 ? (after < 0 ? 0 : after) : (before < 0 ? matches.length - 1 : before);
    select(matches[place], { block: "center" });
    tellFound(true);
  }

  function endSearch() {
    const had = query.value || choice.value;
    query.value = choice.value = "";
    if (had) search();
    return had;
  }

  query.addEventListener("input", search);
  choice.addEventListener("change", search);
  byId("next").addEventListener("click", () => toMatch(1));
  byId("previous").addEventListener("click", () => toMatch(-1));
  query.form.addEventListener("submit", (event) => event.preventDefault());
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter") toMatch(event.shiftKey ? -1 : 1);
  });

  // Questions

  function askable() {
    return chunks.flatMap((chunk, at) => {
      if ("not indexable" in (chunk.flags ?? {})) return [];
      const { above = "", below = "", path = "" } = chunk;
      const text = chunk.text ?? leaves[at].textContent;
      const gap = leaves[at].previousElementSibling.textContent;
      const embedded = aboveOf(chunk) + text + below;
      return [{ ...chunk, above, below, path, text, gap, embedded, document: 0, place: at }];
    });
  }

  function cite({ chunks: cited }, lines) {
    const button = make("button", lines, "cite");
    const [first, last] = [cited[0].place, cited.at(-1).place];
    button.type = "button";
    button.addEventListener("click", () => select(first, { first, last, block: "start" }));
    return button;
  }

  function showHanded(handed) {
    const places = new Set(handed?.map(({ place }) => place));
    leaves.forEach((leaf, at) => leaf.classList.toggle("handed", places.has(at)));
    source.classList.toggle("asking", handed !== null);
    if (places.size) reveal(leaves[Math.min(...places)], "start");
  }

  const asking = new Asking({ chunks: askable, cite, changed: showHanded });

  // Light and dark

  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const tellTheme = () => byId("theme").setAttribute("aria-pressed", String(isDark()));

  function toggleTheme() {
    root.dataset.theme = isDark() ? "light" : "dark";
    tellTheme();
  }

  byId("theme").addEventListener("click", toggleTheme);
  prefersDark.addEventListener("change", tellTheme);
  tellTheme();

  // Keys

  const help = byId("help");
  byId("help-open").addEventListener("click", () => help.showModal());

  function escape() {
    if (!endSearch() && !asking.end()) select(-1);
    source.focus({ preventScroll: true });
  }

  const anywhere = {
    a: () => asking.focus(),
    j: () => step(1),
    k: () => step(-1),
    n: () => toMatch(1),
    p: () => toMatch(-1),
    d: toggleTheme,
    e: toggleContexts,
    "/": () => query.focus(),
    "?": () => help.showModal(),
  };
  const inSource = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Home: () => select(0),
    End: () => select(leaves.length - 1),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key === "Escape") return escape();
    if (event.target.closest?.("input, select")) return;
    const isInSource = source.contains(event.target) || event.target === document.body;
    const act = anywhere[event.key] ?? (isInSource ? inSource[event.key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  });

  // A chunk in the URL: page.html#c-1a2b3c4d

  function selectFromAddress() {
    const leaf = location.hash.startsWith("#c-") ? byId(location.hash.slice(1)) : null;
    if (leaf) select(leaves.indexOf(leaf), { block: "start" });
  }

  addEventListener("hashchange", selectFromAddress);
  selectFromAddress();
  colour();
})();
