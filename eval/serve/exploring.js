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

function swept(select) {
  return select.selectedOptions[0].closest("optgroup[data-swept]");
}

function fit(select, slider) {
  const curve = swept(select);
  slider.hidden = !curve;
  if (!curve) return;
  slider.max = curve.children.length - 1;
  slider.value = [...curve.children].indexOf(select.selectedOptions[0]);
  slider.setAttribute("aria-valuetext", select.selectedOptions[0].text);
}

if (form) {
  for (const choice of form.querySelectorAll(".choice")) {
    const select = choice.querySelector("select");
    const slider = choice.querySelector("input");
    fit(select, slider);
    select.addEventListener("input", () => { fit(select, slider); show(); });
    slider.addEventListener("input", () => {
      swept(select).children[slider.value].selected = true;
      slider.setAttribute("aria-valuetext", select.selectedOptions[0].text);
      show();
    });
  }
}
document.addEventListener("keydown", (event) => {
  if (event.target.name === "q" || event.ctrlKey || event.altKey || event.metaKey) return;
  if (form && event.key === "/") {
    event.preventDefault();
    form.q.focus();
    form.q.select();
  } else if (!form && event.key === "b") {
    document.getElementById("back").click();
  }
});
