"use strict";

// Charts are made in the light colours; in the dark each takes its dark one, in the data as well.
const charts = (() => {
  const night = matchMedia("(prefers-color-scheme: dark)");
  let items = {};
  let dark = new Map();
  let drawn = [];

  function recoloured(value) {
    if (typeof value === "string") return dark.get(value) ?? value;
    if (Array.isArray(value)) return value.map(recoloured);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, recoloured(one)]));
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
    }
    document.documentElement.dataset.drawn = night.matches ? "dark" : "light";
  }

  async function start() {
    Bokeh.set_log_level("warn");
    const data = JSON.parse(document.getElementById("chart-data").textContent);
    items = data.items;
    dark = new Map(Object.entries(data.dark));
    let turn = draw();
    night.addEventListener("change", () => { turn = turn.then(draw); });
  }

  return { start };
})();
