// Evaluated in a page of `marking.py`: takes the numbers out of its texts, then gives the boxes of
// all numbers. Of each thing: number, left, top, right, bottom, font size, font weight, colour,
// background, shown.
// Where `boilersweepLines` is set, also the boxes of all lines of text, as pictures mark them.
(() => {
  "use strict";
  const ATTRIBUTE = "data-boilersweep";
  const MARK = /\ufdd0(\d+)\ufdd1/g;
  const root = document.documentElement;

  const pieces = [];
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.includes("\ufdd0")) continue;
    let text = "";
    let from = 0;
    let open = null;
    for (const mark of node.data.matchAll(MARK)) {
      text += node.data.slice(from, mark.index);
      if (open) open.end = text.length;
      open = { node, number: Number(mark[1]), start: text.length, end: 0 };
      pieces.push(open);
      from = mark.index + mark[0].length;
    }
    text += node.data.slice(from);
    if (open) open.end = text.length;
    node.data = text;
  }

  // The browser says a colour in the space that the page named it in. What sRGB has not is cut to
  // what it has.
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  const channels = (text) => {
    if (/^rgba?\(/.test(text)) return text.match(/[\d.]+/g).map(Number);
    pen.fillStyle = "#000";
    pen.fillStyle = `color(from ${text} srgb r g b / alpha)`;
    const numbers = pen.fillStyle.match(/^color\(srgb (.*)\)$/)?.[1].split(/[ /]+/).map(Number);
    const [r, g, b, a] = numbers ?? [0, 0, 0];
    return [...[r, g, b].map((one) => 255 * Math.min(Math.max(one, 0), 1)), a];
  };
  const colours = new Map([["rgba(0, 0, 0, 0)", -1]]);
  const colour = (text) => {
    let found = colours.get(text);
    if (found === undefined) {
      const [r, g, b, a] = channels(text);
      found = a === 0 ? -1 : (Math.round(r) << 16) | (Math.round(g) << 8) | Math.round(b);
      colours.set(text, found);
    }
    return found;
  };

  // What holds for an element and all in it: style, background, and the part of the page in which
  // it may be seen. Ancestors come first, without recursion: pages nest deeply.
  const known = new Map();
  const EVERYWHERE = [0, 0, Infinity, Infinity];
  const about = (element) => {
    const path = [];
    for (let one = element; one && !known.has(one); one = one.parentElement) path.push(one);
    for (const one of path.reverse()) {
      const outer = known.get(one.parentElement);
      const style = getComputedStyle(one);
      const own = colour(style.backgroundColor);
      let clip = outer ? outer.clip : EVERYWHERE;
      if (outer && style.overflowX !== "visible" && one !== document.body) {
        const box = one.getBoundingClientRect();
        clip = [Math.max(clip[0], box.left), Math.max(clip[1], box.top),
                Math.min(clip[2], box.right), Math.min(clip[3], box.bottom)];
      }
      known.set(one, {
        clip,
        background: own >= 0 ? own : outer ? outer.background : 0xffffff,
        size: parseFloat(style.fontSize) || 0,
        weight: parseInt(style.fontWeight, 10) || 400,
        colour: Math.max(colour(style.color), 0),
        visible: one.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
      });
    }
    return known.get(element);
  };

  const round = (number) => Math.max(-2e9, Math.min(2e9, Math.round(number)));
  const row = (number, box, element) => {
    const it = about(element);
    const [left, top, right, bottom] = it.clip;
    const shown = it.visible && box.right > box.left && box.bottom > box.top && it.size > 0
      && Math.min(box.right, right) - Math.max(box.left, left, 0) > 1
      && Math.min(box.bottom, bottom) - Math.max(box.top, top, 0) > 1;
    return [number, round(box.left), round(box.top), round(box.right), round(box.bottom),
            it.size, it.weight, it.colour, it.background, shown ? 1 : 0];
  };

  const around = (one, other) => (one === null ? other : {
    left: Math.min(one.left, other.left), top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right), bottom: Math.max(one.bottom, other.bottom),
  });

  const boxes = new Map();
  const lines = []; // of texts that are shown: number and box, where they are asked for
  const range = document.createRange();
  for (const piece of pieces) {
    range.setStart(piece.node, piece.start);
    range.setEnd(piece.node, piece.end);
    const known = boxes.get(piece.number) ?? { box: null, element: piece.node.parentElement };
    for (const box of range.getClientRects()) {
      if (box.width > 0 && box.height > 0) {
        if (known.box === null) known.element = piece.node.parentElement;
        known.box = around(known.box, box);
        if (globalThis.boilersweepLines) {
          const line = row(piece.number, box, piece.node.parentElement);
          if (line[9]) lines.push(line.slice(0, 5));
        }
      }
    }
    boxes.set(piece.number, known);
  }
  const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };
  const blocks = [];
  for (const [number, found] of boxes) {
    blocks.push(row(number, found.box ?? NOTHING, found.element));
  }
  const elements = [];
  for (const element of document.querySelectorAll(`[${ATTRIBUTE}]`)) {
    const number = Number(element.getAttribute(ATTRIBUTE));
    elements.push(row(number, element.getBoundingClientRect(), element));
  }
  const rules = [];
  for (const rule of document.querySelectorAll("hr")) {
    const holder = rule.closest(`[${ATTRIBUTE}]`);
    const number = holder ? Number(holder.getAttribute(ATTRIBUTE)) : 0;
    rules.push(row(number, rule.getBoundingClientRect(), rule));
  }
  return {
    width: Math.min(2e9, root.scrollWidth), height: Math.min(2e9, root.scrollHeight),
    mode: document.compatMode, blocks, elements, rules, lines,
  };
})()
