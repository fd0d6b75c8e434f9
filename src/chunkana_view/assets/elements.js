"use strict";
// Documents are untrusted: their content is inserted into the page as text, never as markup.

const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");

// Highlight ranges without adding elements to the document's text.
function highlight(name, ranges, priority = 0) {
  if (!globalThis.Highlight) return;
  const marked = new Highlight(...ranges);
  marked.priority = priority;
  CSS.highlights.set(name, marked);
}

function rangeIn(node, startOffset, endOffset) {
  return new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset });
}

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}
