"use strict";
const main = document.getElementById("mark");
const state = main && JSON.parse(main.dataset.state);
const others = main && Object.entries(JSON.parse(main.dataset.others));
const words = main && main.dataset.words.split(" ");
const names = {};
for (const button of document.querySelectorAll("[data-class]")) names[button.dataset.class] = button.lastChild.textContent.trim();
const began = Date.now();
const blocks = words ? words.map(() => []) : []; // the spans of each block
let anchor = 0;
let current = 0;
let extending = false;
let dragging = false;
let proposal = null;
let isShown = false;
let wasShown = false;
let sent = Promise.resolve();

function button(key) {
  return document.querySelector(`[data-key="${key}"]`);
}

function range() {
  return [Math.min(anchor, current), Math.max(anchor, current)];
}

function draw() {
  const [first, last] = range();
  blocks.forEach((spans, number) => {
    for (const span of spans) {
      span.dataset.class = state.classes[number];
      span.toggleAttribute("data-selected", first <= number && number <= last);
      span.toggleAttribute("data-differs", new Set(others.map(([, sheet]) => sheet.classes[number])).size > 1);
      if (isShown) span.dataset.proposal = proposal[number];
      else delete span.dataset.proposal;
    }
  });
  const count = words.slice(first, last + 1).reduce((sum, one) => sum + Number(one), 0);
  const which = first === last ? `Block ${first + 1}` : `Blocks ${first + 1} to ${last + 1}`;
  const theirs = others.map(([name, sheet]) => `; ${name}: ${names[sheet.classes[current]]}`).join("");
  document.getElementById("where").textContent =
    `${which} of ${blocks.length}, ${count} ${count === 1 ? "word" : "words"}: ${names[state.classes[current]]}${theirs}${state.done ? " (the page is done)" : ""}`;
  button("e").setAttribute("aria-pressed", extending);
  button("p").setAttribute("aria-pressed", isShown);
  button("t").hidden = !isShown;
  button("u").disabled = state.steps <= 0;
}

function select(number, extend) {
  current = Math.max(0, Math.min(number, blocks.length - 1));
  if (!extend) anchor = current;
  draw();
  blocks[current][0]?.scrollIntoView({ block: "nearest" });
}

// Each step is on the disk when its answer comes; the next one waits for it.
function send(action, ranges = []) {
  state.steps += action === "undo" ? -1 : 1;
  const form = { docid: main.dataset.docid, action, ranges: JSON.stringify(ranges), proposed: wasShown ? "1" : "0", seconds: (Date.now() - began) / 1000 };
  sent = sent.then(async () => {
    const answer = await fetch("mark", { method: "POST", body: new URLSearchParams(form) });
    if (!answer.ok) throw new Error(await answer.text());
    Object.assign(state, await answer.json());
    draw();
  });
  const result = sent;
  sent = sent.catch((error) => alert(`Nothing was saved: ${error.message}`));
  return result.then(() => true, () => false);
}

function mark(label) {
  const [first, last] = range();
  extending = false;
  state.classes.fill(Number(label), first, last + 1);
  send("mark", [[first, last, names[label]]]);
  select(last + 1, false);
}

async function propose() {
  proposal ??= await (await fetch(`proposal?docid=${encodeURIComponent(main.dataset.docid)}`)).json();
  isShown = !isShown;
  wasShown = true;
  draw();
}

function take() {
  const ranges = [];
  proposal.forEach((label, number) => {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1 && last[2] === names[label]) last[1] = number;
    else if (label) ranges.push([number, number, names[label]]);
  });
  while (ranges.length) send("mark", ranges.splice(0, 300));
}

async function act(key, extend) {
  const [first] = range();
  if (key in names) mark(key);
  else if (key === "s") mark(state.classes[Math.max(0, first - 1)]);
  else if (key === "j" || key === "k") select(current + (key === "j" ? 1 : -1), extend || extending);
  else if (key === "e") { extending = !extending; draw(); }
  else if (key === "u" && state.steps > 0) send("undo");
  else if (key === "p") propose();
  else if (key === "t" && isShown) take();
  else if (key === "Enter" && (await send("done"))) location.assign(".");
}

function numberOf(event) {
  const span = event.target.closest("[data-block]");
  return span ? Number(span.dataset.block) : null;
}

async function begin() {
  const root = document.getElementById("copy").attachShadow({ mode: "open" });
  const answer = await fetch(`copy?numbers=1&docid=${encodeURIComponent(main.dataset.docid)}`);
  const text = await answer.text();
  if (!answer.ok) {
    document.getElementById("where").textContent = text;
    return;
  }
  // A document of its own has no scripts, and nothing in it leads out of the page's place
  const copy = new DOMParser().parseFromString(text, "text/html");
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "copy.css";
  const page = document.createElement("div");
  page.append(...copy.body.childNodes);
  page.querySelector("hr").remove();
  page.querySelector("p").remove();
  root.append(style, page);
  for (const span of root.querySelectorAll("[data-block]")) blocks[span.dataset.block]?.push(span);
  for (const spans of blocks) spans[0]?.setAttribute("data-first", "");
  root.addEventListener("pointerdown", (event) => {
    const number = numberOf(event);
    if (number === null || event.pointerType !== "mouse" || event.button) return;
    dragging = true;
    select(number, event.shiftKey || extending);
  });
  root.addEventListener("pointerover", (event) => {
    const number = numberOf(event);
    if (dragging && number !== null && number !== current) select(number, true);
  });
  root.addEventListener("click", (event) => {
    const number = numberOf(event);
    if (number !== null && event.pointerType !== "mouse") select(number, event.shiftKey || extending);
  });
  draw();
  main.dataset.ready = "";
}

document.addEventListener("pointerup", () => { dragging = false; });
document.addEventListener("click", (event) => {
  const pressed = event.target.closest("button[data-key]");
  if (!pressed) return;
  if (event.detail) pressed.blur();
  act(pressed.dataset.key, event.shiftKey);
});
document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("button, a") && event.key === "Enter") return;
  const arrows = { ArrowDown: "j", ArrowUp: "k" };
  const key = arrows[event.key] ?? (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  const chosen = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!chosen || chosen.disabled || (event.repeat && key !== "j" && key !== "k")) return;
  event.preventDefault();
  if (chosen.tagName === "A") chosen.click();
  else act(key, event.shiftKey);
});
if (main) begin();
