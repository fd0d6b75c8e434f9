"use strict";
(() => {
  const MOST_HEADINGS = 5; // shown for a document
  const query = byId("query");
  const found = byId("found");
  const totals = byId("total").cells;
  const rows = [...byId("documents").rows];
  const documents = JSON.parse(byId("entries").textContent).map((entry, at) => {
    const place = rows[at].cells[0];
    return {
      ...entry,
      row: rows[at],
      place,
      link: place.querySelector("a"),
      name: place.textContent.toLowerCase(),
      titles: entry.headings.map(([title]) => title.toLowerCase()),
    };
  });

  // The headings of a document that contain all words of a search that are not in its name.
  function headingsWith(words, { name, titles }) {
    const left = words.filter((word) => !name.includes(word));
    const wanted = left.length ? left : words;
    return titles.flatMap((title, at) => (wanted.every((word) => title.includes(word)) ? [at] : []));
  }

  function linkTo({ link, headings }, at) {
    const [title, chunk] = headings[at];
    const item = make("li");
    const there = link.cloneNode();
    there.hash = `c-${chunk}`;
    there.textContent = title;
    item.append(there);
    return item;
  }

  function showHeadings(one, found) {
    one.list?.remove();
    one.list = undefined;
    if (!found.length) return;
    one.list = make("ul", undefined, "headings");
    one.list.append(...found.slice(0, MOST_HEADINGS).map((at) => linkTo(one, at)));
    if (found.length > MOST_HEADINGS) {
      one.list.append(make("li", `… and ${count(found.length - MOST_HEADINGS)} more`));
    }
    one.place.append(one.list);
  }

  function showTotals(shown) {
    const isAll = shown.length === documents.length;
    const name = documents.length === 1 ? "document" : "documents";
    totals[0].textContent = `${isAll ? "" : `${count(shown.length)} of `}${count(documents.length)} ${name}`;
    ["characters", "chunks", "over_limit"].forEach((key, at) => {
      totals[at + 1].textContent = count(shown.reduce((sum, one) => sum + one[key], 0));
    });
  }

  function search() {
    const words = query.value.toLowerCase().split(/\s+/u).filter(Boolean);
    const shown = documents.filter((one) => {
      const headings = words.length ? headingsWith(words, one) : [];
      const isShown = headings.length > 0 || words.every((word) => one.name.includes(word));
      showHeadings(one, isShown ? headings : []);
      one.row.hidden = !isShown;
      return isShown;
    });
    showTotals(shown);
    found.textContent = words.length ? `${count(shown.length)} found` : "";
  }

  function links() {
    return [...byId("documents").querySelectorAll("a")].filter((link) => !link.closest("tr").hidden);
  }

  function step(by) {
    const places = [query, ...links()];
    const at = Math.max(0, places.indexOf(document.activeElement));
    places[Math.max(0, Math.min(places.length - 1, at + by))].focus();
  }

  // Questions over all documents

  function askable() {
    return documents.flatMap(({ leaves, link }, document) =>
      leaves.map((leaf) => {
        const { context = "", above = "", below = "", path = "", text } = leaf;
        const embedded = context + above + text + below;
        const section = `${document}:${leaf.section}`;
        return { ...leaf, above, below, path, embedded, section, document, link };
      }),
    );
  }

  function cite({ chunks: [{ link, id }] }, lines) {
    const there = link.cloneNode();
    there.className = "cite";
    there.hash = `c-${id}`;
    there.textContent = `${link.textContent}, ${lines}`;
    return there;
  }

  const asking = byId("asking") && new Asking({ chunks: askable, cite, changed: () => {} });

  const keys = {
    a: () => asking?.focus(),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    "/": () => query.focus(),
    Escape: () => {
      asking?.end();
      query.value = "";
      search();
      query.focus();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyped = event.key.length === 1 && event.target.closest("input");
    const isInQuestion = event.key !== "Escape" && event.target.closest("#asking");
    if (isTyped || isInQuestion || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  query.addEventListener("input", search);
  query.form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (query.value.trim()) links()[0]?.click();
  });
  byId("search").hidden = false;
  if (query.value) search(); // the browser restored a search
})();
