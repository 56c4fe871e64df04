"use strict";

// Charts are made in the light colours; in the dark each takes its dark one, in the data as well.
const charts = (() => {
  const night = matchMedia("(prefers-color-scheme: dark)");
  let items = {};
  let dark = new Map();
  let drawn = [];
  const PAPER = 680; // pixels of CSS that A4 has between its margins

  function recoloured(value) {
    if (typeof value === "string") return dark.get(value) ?? value;
    if (Array.isArray(value)) return value.map(recoloured);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, recoloured(one)]));
  }

  const rgb = (hex) => `rgb(${[1, 3, 5].map((n) => parseInt(hex.slice(n, n + 2), 16)).join(",")})`;

  // Paper is light: colours of what is drawn change for as long as the page is printed.
  function repaint(from, to) {
    const colours = new Map();
    for (const pair of dark) {
      colours.set(pair[from], pair[to]);
      colours.set(rgb(pair[from]), rgb(pair[to]));
    }
    const paint = (root) => {
      for (const one of root.querySelectorAll("*")) {
        for (const name of ["fill", "stroke"]) {
          const colour = colours.get(one.getAttribute(name));
          if (colour) one.setAttribute(name, colour);
        }
        if (one.shadowRoot) paint(one.shadowRoot);
      }
    };
    document.querySelectorAll("[data-chart]").forEach(paint);
  }

  const isDark = () => document.documentElement.dataset.drawn === "dark";

  // Names beside dots: where they hide no dot and no other name, those of the first rows first.
  const SIDES = [
    ["left", 9, 0], ["right", -9, 0], ["center", 0, -14], ["center", 0, 14],
    ["left", 6, -12], ["left", 6, 12], ["right", -6, -12], ["right", -6, 12],
    ["left", 6, -22], ["left", 6, 22], ["right", -6, -22], ["right", -6, 22],
  ];
  const HEIGHT = 14;
  const START = { left: 0, center: 0.5, right: 1 };

  const apart = (a, b) =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

  function boxOf({ x, y }, width, [align, dx, dy]) {
    const left = x + dx - START[align] * width;
    const top = y + dy - HEIGHT / 2;
    return { left, top, right: left + width, bottom: top + HEIGHT };
  }

  // Every few pixels of a line.
  function alongside(line) {
    return line.slice(1).flatMap(({ x, y }, n) => {
      const from = line[n];
      const steps = Math.ceil(Math.hypot(x - from.x, y - from.y) / 4);
      return Array.from({ length: steps + 1 }, (_, m) => boxAround(
        { x: from.x + ((x - from.x) * m) / steps, y: from.y + ((y - from.y) * m) / steps }, 1,
      ));
    });
  }

  const boxAround = ({ x, y }, far) => ({ left: x - far, right: x + far, top: y - far, bottom: y + far });

  function placed(points, names, widthOf, frame, lines) {
    const dots = points.map((point) => boxAround(point, 6));
    const taken = [];
    return points.map((point, n) => {
      const width = widthOf(names[n]) + 2;
      const isFree = (others) => (one) => {
        const box = boxOf(point, width, one);
        const inside = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
        return inside && others.every((other) => apart(box, other));
      };
      const others = [...taken, ...dots.filter((_, m) => m !== n)];
      const side = SIDES.find(isFree([...others, ...lines])) ?? SIDES.find(isFree(others));
      if (side) taken.push(boxOf(point, width, side));
      return side;
    });
  }

  function nameOne(view) {
    const texts = view.model.renderers?.find((one) => one.name === "labels");
    if (!texts) return; // another chart, or what Bokeh notes
    const { data } = texts.data_source;
    const { x_scale, y_scale, bbox } = view.frame;
    const [kept, means, names] = ["kept", "mean", "cleaner"].map((name) => [...data[name]]);
    const pointsOf = (xs, ys) => xs.map((x, n) => ({ x: x_scale.compute(x), y: y_scale.compute(ys[n]) }));
    const points = pointsOf(kept, means);
    const lines = view.model.renderers
      .filter((one) => one.glyph.type === "Line")
      .flatMap(({ data_source }) => alongside(pointsOf([...data_source.data.kept], [...data_source.data.mean])));
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = "12px system-ui, sans-serif";
    const sides = placed(points, names, (name) => pen.measureText(name).width, bbox, lines);
    texts.data_source.data = {
      ...data,
      label: names.map((name, n) => (sides[n] ? name : "")),
      align: sides.map((side) => side?.[0] ?? "left"),
      dx: sides.map((side) => side?.[1] ?? 0),
      dy: sides.map((side) => side?.[2] ?? 0),
    };
  }

  async function nameAll() {
    for (const view of drawn.flatMap((views) => [...views.roots])) {
      await view.ready;
      nameOne(view);
    }
  }

  async function draw() {
    const before = drawn;
    drawn = [];
    const documents = before.flatMap((views) => [...views.roots].map((view) => view.model.document));
    for (const one of new Set(documents)) one?.clear();
    for (const place of document.querySelectorAll("[data-chart]")) {
      const item = items[place.dataset.chart];
      place.replaceChildren();
      drawn.push(await Bokeh.embed.embed_item(night.matches ? recoloured(item) : item, place));
      place.style.setProperty("--on-paper", Math.min(1.4, PAPER / place.clientWidth));
    }
    await nameAll();
    document.documentElement.dataset.drawn = night.matches ? "dark" : "light";
  }

  async function start() {
    Bokeh.set_log_level("warn");
    const data = JSON.parse(document.getElementById("chart-data").textContent);
    items = data.items;
    dark = new Map(Object.entries(data.dark));
    let turn = draw();
    night.addEventListener("change", () => { turn = turn.then(draw); });
    addEventListener("beforeprint", () => { if (isDark()) repaint(1, 0); });
    addEventListener("afterprint", () => { if (isDark()) repaint(0, 1); });
    let waiting = 0;
    addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { turn = turn.then(nameAll); }, 200);
    });
  }

  return { start };
})();
