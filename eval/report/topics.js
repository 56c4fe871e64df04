"use strict";

// What is shown stands in the address: #topic=851&cleaner=2&measure=P@10&document=d1
const topics = (() => {
  const study = JSON.parse(document.getElementById("study-data").textContent);
  const list = document.getElementById("topic-list");
  const cleaners = document.getElementById("topic-cleaner");
  const measures = document.getElementById("topic-measure");
  const summary = document.getElementById("topics-summary");
  const baseline = study.variants.find((variant) => variant.role === "baseline");

  // As outputs/figures.py rounds: nine decimals, half to even.
  const figure = (value) => {
    const digits = Math.round(value * 1e9);
    const down = Math.floor(digits / 1e6);
    const rest = digits - 1e6 * down;
    return ((down + (rest > 5e5 || (rest === 5e5 && down % 2 !== 0))) / 1000).toFixed(3);
  };
  const signed = (value) => (value < 0 ? "\u2212" : "+") + figure(Math.abs(value));
  const variantAt = (place) => study.variants.find((variant) => variant.place === place);

  function make(name, text, className) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  function address(topic, docid) {
    const state = new URLSearchParams();
    state.set("topic", topic);
    state.set("cleaner", cleaners.value);
    state.set("measure", measures.value);
    if (docid !== undefined) state.set("document", docid);
    return "#" + state;
  }

  function bar(difference, widest) {
    const outer = make("span", undefined, "bar");
    const inner = make("i", undefined, difference < 0 ? "down" : "");
    const width = widest ? (50 * Math.abs(difference)) / widest : 0;
    inner.style.width = width + "%";
    inner.style.left = (difference < 0 ? 50 - width : 50) + "%";
    outer.setAttribute("aria-hidden", "true");
    outer.append(inner);
    return outer;
  }

  function cell(value, text) {
    const made = make("td", text);
    made.dataset.value = value;
    return made;
  }

  function fill() {
    const variant = variantAt(Number(cleaners.value));
    const before = baseline.scores[measures.value];
    const after = variant.scores[measures.value];
    const differences = after.map((value, n) => Number((value - before[n]).toFixed(9)));
    const widest = Math.max(...differences.map(Math.abs));
    const rows = study.topics.map((topic, n) => {
      const row = make("tr");
      row.dataset.topic = topic.id;
      const head = make("th");
      head.scope = "row";
      head.dataset.value = topic.id;
      const link = make("a");
      link.href = address(topic.id);
      link.append(make("span", topic.id, "id"), make("bdi", topic.query));
      head.append(link);
      const kind = differences[n] > 0 ? "gain" : differences[n] < 0 ? "loss" : "";
      const difference = make("td");
      difference.dataset.value = differences[n];
      difference.append(make("span", signed(differences[n]), kind), bar(differences[n], widest));
      row.append(head, cell(before[n], figure(before[n])), cell(after[n], figure(after[n])));
      row.append(difference);
      return row;
    });
    list.tBodies[0].replaceChildren(...rows);
    tables.sort(list, 3, "descending");
    const [wins, losses, ties] = variant.outcomes[measures.value];
    summary.textContent =
      `With ${variant.cleaner}, by ${measures.value}: ${wins} better, ` +
      `${losses} worse, ${ties} the same.`;
  }

  function option(value, text) {
    const made = make("option", text);
    made.value = value;
    return made;
  }

  function read() {
    const state = new URLSearchParams(location.hash.slice(1));
    const topic = study.topics.find((one) => one.id === state.get("topic"));
    if (!topic) return null;
    const place = Number(state.get("cleaner"));
    const measure = state.get("measure");
    if (!variantAt(place) || !study.measures.includes(measure)) return null;
    return { topic, place, measure, docid: state.get("document") };
  }

  // The topics that win and lose most, where no topic is chosen.
  function openExtremes() {
    const place = Number(cleaners.value);
    const before = baseline.scores[measures.value];
    const gains = variantAt(place).scores[measures.value].map((value, n) => value - before[n]);
    const titled = [["The largest win", Math.max(...gains)], ["The largest loss", Math.min(...gains)]];
    const some = titled.filter(([, gain], n) => (n ? gain < -1e-9 : gain > 1e-9));
    evidence.open(some.map(([title, gain]) => {
      const state = { topic: study.topics[gains.indexOf(gain)], place };
      return [title, state, scoresOf(state)];
    }));
  }

  function follow() {
    const state = read();
    if (!state) {
      for (const row of list.tBodies[0].rows) row.removeAttribute("aria-current");
      openExtremes();
      return;
    }
    if (Number(cleaners.value) !== state.place || measures.value !== state.measure) {
      cleaners.value = state.place;
      measures.value = state.measure;
      fill();
    }
    for (const row of list.tBodies[0].rows) {
      if (row.dataset.topic === state.topic.id) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    evidence.show(state, scoresOf(state));
  }

  function scoresOf({ topic, place }) {
    const n = study.topics.indexOf(topic);
    return study.measures.map((measure) => {
      const [before, after] = [baseline, variantAt(place)].map((one) => one.scores[measure][n]);
      return `${measure} ${figure(before)} \u2192 ${figure(after)}`;
    });
  }

  function start() {
    const others = study.variants.filter((variant) => variant !== baseline);
    const remark = (variant) =>
      ({ gold: " (upper bound)", run: " (run from elsewhere)" })[variant.role] ?? "";
    cleaners.append(...others.map((one) => option(one.place, one.cleaner + remark(one))));
    measures.append(...study.measures.map((measure) => option(measure, measure)));
    if (!others.length) return;
    if (study.chosen) cleaners.value = study.chosen;
    fill();
    const change = () => {
      const state = read();
      fill();
      if (state) location.hash = address(state.topic.id);
      else openExtremes();
    };
    cleaners.addEventListener("change", change);
    measures.addEventListener("change", change);
    addEventListener("hashchange", follow);
    follow();
  }

  return { start, make, address, explain: study.explain, baseline: baseline.cleaner, nameOf: (n) => variantAt(n).cleaner, roleOf: (n) => variantAt(n).role };
})();
