// Runs in an empty page that forbids everything (see browser.py): shows a page in a frame without
// scripts, and gives its visible texts and the elements around them, in the order of the page:
// each with the number of its parent, or -1, tag, box and area, the fonts of the first and the last text in it,
// whether other fonts are in it (mixed), background, whether it breaks no line (inline), whether it
// is a text or an inline element with nothing but texts and such elements (virtual), and whether an
// HR is directly in it (ruled); a text also with its text, behind a line break if it is on another
// line than the one before, and whether it is in a link. And the tops and bottoms of HRs.
"use strict";
const [html, width, height] = arguments;

// A page's names of forms and fields hide properties of its document and forms, so these are taken
// from where no page can put another.
const own = (prototype, name) => {
  const { get, value } = Object.getOwnPropertyDescriptor(prototype, name);
  return (one, ...rest) => (get ?? value).call(one, ...rest);
};
const parentOf = own(Node.prototype, "parentElement");
const typeOf = own(Node.prototype, "nodeType");
const nameOf = own(Element.prototype, "localName");
const boxOf = own(Element.prototype, "getBoundingClientRect");
const matches = own(Element.prototype, "matches");
const isVisible = own(Element.prototype, "checkVisibility");
const allIn = own(Document.prototype, "querySelectorAll");

const measure = (page) => {
  const root = own(Document.prototype, "documentElement")(page);
  const body = own(Document.prototype, "body")(page);
  const CLEAR = "rgba(0, 0, 0, 0)";
  const rows = [];
  const numbers = new Map();
  const known = new Map();

  // What holds for an element and all in it. Ancestors come first, without recursion: pages nest
  // deeply.
  const about = (element) => {
    const path = [];
    for (let one = element; one && !known.has(one); one = parentOf(one)) path.push(one);
    for (const one of path.reverse()) {
      const outer = known.get(parentOf(one));
      const style = getComputedStyle(one);
      const inline = style.display === "inline" || style.display === "contents";
      let clip = outer ? outer.clip : [0, 0, Infinity, Infinity];
      if (outer && style.overflowX !== "visible" && one !== body) {
        const box = boxOf(one);
        clip = [Math.max(clip[0], box.left), Math.max(clip[1], box.top),
                Math.min(clip[2], box.right), Math.min(clip[3], box.bottom)];
      }
      known.set(one, {
        clip, inline,
        background: style.backgroundColor !== CLEAR ? style.backgroundColor
          : outer ? outer.background : "rgb(255, 255, 255)",
        size: parseFloat(style.fontSize) || 0,
        weight: parseInt(style.fontWeight, 10) || 400,
        block: inline && outer ? outer.block : one,
        linked: (outer && outer.linked) || matches(one, "a[href]"),
        skipped: (outer && outer.skipped) || nameOf(one) === "noscript",
        visible: isVisible(one, { opacityProperty: true, visibilityProperty: true }),
      });
    }
    return known.get(element);
  };

  const corners = (box) => [box.left, box.top, box.right, box.bottom].map(Math.round);
  const row = (parent, name, box, { size, weight, background, inline }) => {
    const font = name === "#text" ? [size, weight] : null;
    rows.push({ parent, name, box: corners(box), first: font, last: font, mixed: false, background,
                inline, virtual: inline, ruled: false, area: 0 });
    return rows.length - 1;
  };

  const number = (element) => {
    const path = [];
    let one = element;
    for (; one !== root && !numbers.has(one); one = parentOf(one)) path.push(one);
    for (const inner of path.reverse()) {
      const parent = numbers.get(parentOf(inner)) ?? -1;
      numbers.set(inner, row(parent, nameOf(inner), boxOf(inner), about(inner)));
    }
    return numbers.get(element) ?? -1;
  };

  const range = document.createRange();
  const isShown = (text, it) => {
    const [left, top, right, bottom] = it.clip;
    range.selectNodeContents(text);
    return it.visible && it.size > 0 && [...range.getClientRects()].some((box) =>
      Math.min(box.right, right) - Math.max(box.left, left) > 1
      && Math.min(box.bottom, bottom) - Math.max(box.top, top) > 1);
  };

  let block = null;
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (typeOf(node) === Node.ELEMENT_NODE) {
      if (nameOf(node) === "br" || !about(node).inline) block = null;
      continue;
    }
    const it = about(parentOf(node));
    if (!node.data.trim() || it.skipped || !isShown(node, it)) continue;
    const text = (it.block === block ? "" : "\n") + node.data.replace(/\s+/g, " ");
    block = it.block;
    const parent = number(parentOf(node));
    const place = row(parent, "#text", range.getBoundingClientRect(), { ...it, inline: true });
    Object.assign(rows[place], { text, linked: it.linked });
  }
  // From the last to the first, so that all that is in an element comes before it.
  const empty = new Set(rows.filter(({ box }) => box[2] <= box[0] || box[3] <= box[1]));
  const differ = (one, other) => one[0] !== other[0] || one[1] !== other[1];
  for (const row of [...rows].reverse()) {
    const { parent, box, first, last, mixed, virtual } = row;
    row.area = Math.max(box[2] - box[0], 0) * Math.max(box[3] - box[1], 0);
    const outer = rows[parent];
    if (!outer) continue;
    if (empty.has(outer)) { // it has the box around what it holds
      const both = (choose, at) => (outer.last ? choose(outer.box[at], box[at]) : box[at]);
      outer.box = [both(Math.min, 0), both(Math.min, 1), both(Math.max, 2), both(Math.max, 3)];
    }
    outer.last ??= last;
    outer.first = first;
    outer.mixed ||= mixed || differ(outer.last, first) || differ(outer.last, last);
    outer.virtual &&= virtual;
  }
  const rules = [...allIn(page, "hr")].filter((rule) => about(rule).visible);
  for (const rule of rules) {
    const holder = rows[numbers.get(parentOf(rule))];
    if (holder) holder.ruled = true;
  }
  const edges = rules.map((rule) => [boxOf(rule).top, boxOf(rule).bottom].map(Math.round));
  return { rows, rules: edges };
};

const frame = document.createElement("iframe");
frame.sandbox = "allow-same-origin";
frame.style = `position: absolute; left: 0; top: 0; border: 0; width: ${width}px; height: ${height}px`;
frame.srcdoc = html;
return new Promise((resolve, reject) => {
  frame.onload = () => {
    try {
      resolve(measure(frame.contentDocument));
    } catch (error) {
      reject(error);
    } finally {
      frame.remove();
    }
  };
  document.body.replaceChildren(frame);
});
