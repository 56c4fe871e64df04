"use strict";

// Tables are sorted by their cells' data-value; cells without one stand at the end either way.
const tables = (() => {
  function valueOf(row, column) {
    const cell = row.cells[column];
    if (cell.tagName === "TH") return cell.dataset.value ?? cell.textContent.trim();
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  }

  function compare(a, b) {
    return typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
  }

  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
    const sign = direction === "ascending" ? 1 : -1;
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
    [...table.tHead.rows[0].cells].forEach((head, n) => {
      if (n === column) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const first = column === 0 ? "ascending" : "descending";
        const other = column === 0 ? "descending" : "ascending";
        sort(table, column, head.getAttribute("aria-sort") === first ? other : first);
      });
    });
  }

  function start() {
    document.querySelectorAll("table.sortable").forEach(makeSortable);
    const comparisons = [...document.querySelectorAll(".comparison")];
    const choose = (chosen) => comparisons.forEach((one, n) => { one.hidden = n !== chosen; });
    for (const radio of document.querySelectorAll("input[name=measure]")) {
      radio.addEventListener("change", () => choose(Number(radio.value)));
      if (radio.checked) choose(Number(radio.value));
    }
    const extra = document.getElementById("extra");
    extra?.addEventListener("change", () => {
      for (const row of document.querySelectorAll("tr.extra")) row.hidden = !extra.checked;
    });
    const details = document.getElementById("details");
    details?.addEventListener("change", () => {
      for (const one of comparisons) one.querySelector("table").classList.toggle("all", details.checked);
    });
    const copy = document.getElementById("copy");
    if (copy && navigator.clipboard) {
      copy.hidden = false;
      copy.addEventListener("click", async () => {
        await navigator.clipboard.writeText(document.getElementById("command").textContent);
        copy.textContent = "Copied";
      });
    }
    for (const controls of document.querySelectorAll(".controls")) controls.hidden = false;
  }

  return { start, sort };
})();
