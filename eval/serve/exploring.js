"use strict";
const form = document.getElementById("explore");
const lists = document.getElementById("lists");
let busy = false;
let changed = false;

// The server renders the lists, with everything escaped; one request at a time, the last one wins.
async function show() {
  changed = true;
  if (busy) return;
  busy = true;
  while (changed) {
    changed = false;
    const asked = new URLSearchParams(new FormData(form));
    const answer = await fetch(`lists?${asked}`);
    if (!answer.ok) break;
    lists.innerHTML = await answer.text();
    history.replaceState(null, "", `?${asked}`);
  }
  busy = false;
}

// A rule that the sliders move: a least number of a feature, and perhaps a most.
const RANGE = /^(words|density)\s*>=\s*([\d.]+)(?:\s*&\s*\1\s*<=\s*([\d.]+))?$/;

function fit(rule, sliders) {
  const range = RANGE.exec(rule.value.trim());
  for (const slider of sliders) slider.hidden = !range;
  if (!range) return;
  // At its end, the second slider sets no bound.
  const end = Number(rule.closest(".columns").dataset[range[1]]);
  sliders[0].max = end;
  sliders[1].max = end + 1;
  sliders[0].value = range[2];
  sliders[1].value = range[3] || end + 1;
  for (const slider of sliders) slider.setAttribute("aria-valuetext", rule.value);
}

function moved(rule, sliders) {
  const feature = RANGE.exec(rule.value.trim())[1];
  const [least, most] = sliders.map((slider) => Number(slider.value));
  rule.value = `${feature}>=${least}`;
  if (most < Number(sliders[1].max)) rule.value += ` & ${feature}<=${most}`;
  for (const slider of sliders) slider.setAttribute("aria-valuetext", rule.value);
}

if (form) {
  for (const choice of form.querySelectorAll(".choice")) {
    const [rule, ...sliders] = choice.querySelectorAll("input");
    fit(rule, sliders);
    rule.addEventListener("change", () => { fit(rule, sliders); show(); });
    for (const slider of sliders) {
      slider.addEventListener("input", () => { moved(rule, sliders); show(); });
    }
  }
}
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input:not([type=range])") || event.ctrlKey || event.altKey || event.metaKey) return;
  if (form && event.key === "/") {
    event.preventDefault();
    form.q.focus();
    form.q.select();
  } else if (!form && event.key === "b") {
    document.getElementById("back").click();
  }
});
