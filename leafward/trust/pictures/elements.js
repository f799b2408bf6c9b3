"use strict";
// What page.js makes its elements with, and how it writes numbers. Text is put in place as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "hue") element.style.setProperty("--h", value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return fill(element, ...children);
}

function fill(element, ...children) {
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function bytes(n) {
  for (const unit of ["B", "KB", "MB", "GB"]) {
    if (n < 1000 || unit === "GB") return (unit === "B" || n >= 100 ? Math.round(n) : n.toFixed(1)) + " " + unit;
    n /= 1024;
  }
}

const hue = number => (number * 137.508 + 150) % 360;
const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");

const WORDS = /("""[^]*?"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(#.*)|\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b/g;

function coloured(text) {
  const parts = []; let end = 0;
  for (const match of text.matchAll(WORDS)) {
    parts.push(text.slice(end, match.index), make(match[1] ? "q" : match[2] ? "em" : "b", {}, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
