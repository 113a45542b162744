// Sorts and filters the table of violations. Without it the table is whole, the largest factor first.
(function () {
  "use strict";
  const table = document.getElementById("violated");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));

  heads.forEach((head, column) => {
    head.setAttribute("aria-sort", column === 0 ? "descending" : "none");
    head.tabIndex = 0;
    const sort = () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      rows.sort((a, b) => compare(valueOf(a, column), valueOf(b, column)) * (up ? 1 : -1));
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        sort();
      }
    });
  });

  const bar = document.getElementById("filters");
  const shown = document.createElement("span");
  const chosen = new Map();
  const apply = () => {
    let count = 0;
    for (const row of rows) {
      row.hidden = !Array.from(chosen).every(([column, value]) => !value || row.cells[column].textContent === value);
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = count + " of " + rows.length + " shown";
  };
  heads.forEach((head, column) => {
    if (!head.dataset.filter) return;
    const values = Array.from(new Set(rows.map((row) => row.cells[column].textContent))).sort();
    if (values.length < 2) return;
    const label = document.createElement("label");
    label.textContent = head.dataset.filter;
    const select = document.createElement("select");
    select.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
    select.addEventListener("change", () => {
      chosen.set(column, select.value);
      apply();
    });
    label.append(select);
    bar.append(label);
  });
  bar.append(shown);
  bar.hidden = false;
  apply();

  // A link to a folded test opens it.
  const open = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  window.addEventListener("hashchange", open);
  open();
})();
