// What tests/test_site.py asks of a page; each function returns what is wrong, as texts.

// The colour [red, green, blue, alpha] of a computed style, each part from 0 to 1.
function colour(text) {
  const parts = text.match(/[\d.]+(?:e-\d+)?/g).map(Number);
  const rgb = text.startsWith("rgb") ? parts.slice(0, 3).map((part) => part / 255) : parts.slice(0, 3);
  if (!/^(rgba?|color\(srgb)/.test(text)) throw new Error(`unknown colour: ${text}`);
  return [...rgb, parts[3] ?? 1];
}

function over(front, back) {
  return [0, 1, 2].map((at) => front[at] * front[3] + back[at] * (1 - front[3])).concat(1);
}

// WCAG 2.2, relative luminance and contrast ratio.
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const behind = new Map();

// What is behind the text of an element: the backgrounds of it and of what it lies in.
function background(element) {
  if (!element) return [1, 1, 1, 1];
  if (!behind.has(element)) {
    const own = colour(getComputedStyle(element).backgroundColor);
    behind.set(element, own[3] === 1 ? own : over(own, background(element.parentElement)));
  }
  return behind.get(element);
}

function opacity(element) {
  return element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1;
}

function textElements() {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (walker.currentNode.data.trim()) found.add(walker.currentNode.parentElement);
  }
  return [...found].filter((element) => !element.closest("script, style, noscript, template")
    && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
}

function described(element) {
  const text = element.textContent.trim().slice(0, 30);
  return `${element.localName}.${[...element.classList].join(".")} "${text}"`;
}

// Texts with less than 4.5:1.
function faintTexts() {
  behind.clear();
  const faint = new Set();
  for (const element of textElements()) {
    const [r, g, b, alpha] = colour(getComputedStyle(element).color);
    const back = background(element);
    const ratio = contrast(over([r, g, b, alpha * opacity(element)], back), back);
    if (ratio < 4.5) faint.add(`${ratio.toFixed(2)} ${described(element)}`);
  }
  return [...faint];
}

function isInScroller(element) {
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return true;
  }
  return false;
}

// The page where it scrolls sideways, and parts of its text that reach beyond its edge.
function wideParts() {
  const width = document.documentElement.clientWidth;
  const wide = [...document.querySelectorAll("article *")].filter((element) =>
    element.getBoundingClientRect().right > width + 1 && element.checkVisibility()
    && !isInScroller(element));
  const scrolls = document.scrollingElement.scrollWidth > width ? ["the page"] : [];
  return [...scrolls, ...wide.map(described)];
}

function badHeadings() {
  const headings = [...document.querySelectorAll("article :is(h1, h2, h3, h4, h5, h6)")];
  const levels = headings.map((heading) => Number(heading.localName[1]));
  const jumps = headings.filter((_, at) => levels[at] > (levels[at - 1] ?? 0) + 1);
  return [...(levels.filter((level) => level === 1).length === 1 ? [] : ["not one h1"]),
    ...jumps.map(described)];
}

function badImages() {
  return [...document.images].filter((image) => !image.alt || !image.naturalWidth)
    .map((image) => image.src);
}

// Resources that came from anywhere else than the site.
function foreignResources(base) {
  return performance.getEntriesByType("resource").map((entry) => entry.name)
    .filter((name) => !name.startsWith(base) && !name.startsWith("data:"));
}

// What the Tab key reaches that has no name, or does not show that it has the focus.
function badFocus() {
  const reached = document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])");
  const bad = [];
  for (const element of reached) {
    element.focus();
    if (document.activeElement !== element || !element.matches(":focus-visible")) continue;
    const isShownByLabel = element.matches("input[type=radio]");
    const style = getComputedStyle(isShownByLabel ? element.nextElementSibling : element);
    const name = element.ariaLabel || element.title || element.textContent.trim()
      || element.placeholder || element.querySelector("img")?.alt;
    const isSeen = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
    if (!name) bad.push(`no name: ${described(element)}`);
    if (!isSeen) bad.push(`not seen: ${described(element)}`);
  }
  return bad;
}

// Texts of a drawing with less than 4.5:1 to the shape that they stand on, at either end or between.
function faintDrawnTexts() {
  const faint = new Set();
  const paper = colour(getComputedStyle(document.documentElement).backgroundColor);
  for (const text of document.querySelectorAll("text")) {
    const { left, width, top, height } = text.getBoundingClientRect();
    for (const part of [0.02, 0.5, 0.98]) {
      const shapes = document.elementsFromPoint(left + part * width, top + height / 2)
        .filter((shape) => shape.matches("rect, path, circle, ellipse, polygon"))
        .map((shape) => getComputedStyle(shape).fill).filter((fill) => fill !== "none");
      const back = shapes.length ? over(colour(shapes[0]), paper) : paper;
      const ratio = contrast(over(colour(getComputedStyle(text).fill), back), back);
      if (ratio < 4.5 || paper[3] < 1) faint.add(`${ratio.toFixed(2)} ${described(text)}`);
    }
  }
  return [...faint];
}

// Cards that do not lead to the page of their first link at their corners, or hide another link.
function deadCards() {
  const topmost = (x, y) => document.elementFromPoint(x, y);
  const isSeen = (link) => {
    const { x, y, width, height } = link.getClientRects()[0];
    return topmost(x + width / 2, y + height / 2) === link;
  };
  return [...document.querySelectorAll(".grid.cards li")].filter((card) => {
    card.scrollIntoView({ block: "center" });
    const { left, top, right, bottom } = card.getBoundingClientRect();
    const [first, ...others] = card.querySelectorAll("a");
    const corners = [[left + 3, top + 3], [right - 3, bottom - 3]];
    return !corners.every(([x, y]) => topmost(x, y) === first) || !others.every(isSeen);
  }).map(described);
}

// What the button beside each example with prompts copies, as Material for MkDocs takes it.
function copiedSessions() {
  const sessions = [...document.querySelectorAll(".highlight code")];
  return sessions.filter((code) => code.querySelector(".gp")).map((code) => {
    code.setAttribute("data-md-copying", "");
    const text = code.innerText.trimEnd();
    code.removeAttribute("data-md-copying");
    return text;
  });
}
