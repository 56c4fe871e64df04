"use strict";
const began = Date.now();
const form = document.getElementById("judge");
const note = document.getElementById("note");
let sent = false;
let shown = 0;

if (form) {
  form.addEventListener("submit", (event) => {
    if (sent) { event.preventDefault(); return; }
    sent = true;
    document.getElementById("seconds").value = ((Date.now() - began) / 1000).toFixed(1);
  });
  note.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      document.querySelector("article").focus();
    }
  });
}
document.addEventListener("keydown", (event) => {
  if (!form || event.target === note || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.key === "n") {
    event.preventDefault();
    note.focus();
    return;
  }
  if (event.key === "m") {
    const matches = document.querySelectorAll("article mark");
    if (matches.length) matches[shown++ % matches.length].scrollIntoView({ block: "center" });
    return;
  }
  const chosen = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (chosen) {
    event.preventDefault();
    chosen.click();
  }
});
