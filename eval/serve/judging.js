"use strict";
let began = Date.now();
let sent = false;
let shown = 0;

// A form is sent without leaving the page, and the answer takes the page's place. One at a time.
async function send(form, button) {
  if (sent) return;
  sent = true;
  if (form.seconds) form.seconds.value = ((Date.now() - began) / 1000).toFixed(1);
  const fields = new URLSearchParams(new FormData(form, button));
  button.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { accept: "text/x-next" } });
    const text = await answer.text();
    if (!answer.headers.get("content-type").startsWith("text/html")) throw new Error(text);
    const page = new DOMParser().parseFromString(text, "text/html");
    document.title = page.title;
    document.body.replaceWith(page.body);
    if (answer.ok) history.replaceState(null, "", ".");
    scrollTo(0, 0);
    began = Date.now();
    shown = 0;
  } catch (error) {
    alert(`Nothing was saved: ${error.message}`);
  }
  sent = false;
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target, event.submitter);
});
// The buttons that send nothing: the whole text, and the next match.
document.addEventListener("click", (event) => {
  const key = event.target.closest("button[type=button]")?.dataset.key;
  if (key === "w") {
    const parts = [...document.querySelectorAll("article details")];
    const open = !parts.every((part) => part.open);
    for (const part of parts) part.open = open;
  } else if (key === "m") {
    const matches = [...document.querySelectorAll("article mark")].filter((mark) => mark.checkVisibility());
    if (matches.length) matches[shown++ % matches.length].scrollIntoView({ block: "center" });
  }
});
document.addEventListener("keydown", (event) => {
  const isNote = event.target.id === "note";
  if (isNote && (event.key === "Enter" || event.key === "Escape")) {
    event.preventDefault();
    document.querySelector("article").focus({ preventScroll: true });
  }
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.key === "n" && document.getElementById("note")) {
    event.preventDefault();
    document.getElementById("note").focus();
  } else {
    const chosen = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (chosen) {
      event.preventDefault();
      chosen.click();
    }
  }
});
