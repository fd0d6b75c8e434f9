"use strict";
// Documents are untrusted: what is in them reaches the page as text alone, never as markup.

const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}
