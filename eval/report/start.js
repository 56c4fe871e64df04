"use strict";

const PAPER = 680; // pixels of CSS that A4 has between its margins

// Vega's own interpreter, as the page's policy refuses what is compiled from text.
const HOW = {
  ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true },
};

async function drawCharts() {
  const items = JSON.parse(document.getElementById("chart-data").textContent);
  for (const place of document.querySelectorAll("[data-chart]")) {
    await vegaEmbed(place, items[place.dataset.chart], HOW);
    place.style.setProperty("--on-paper", Math.min(1.4, PAPER / place.clientWidth));
  }
  document.documentElement.dataset.drawn = "all";
}

tables.start();
topics.start();
drawCharts();
