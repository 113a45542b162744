// Sorts and filters the table of violations. Without it the table is whole, the largest factor first.
const FIELDS = ["factor", "guideline", "verdict", "library", "operation", "mode", "description", "layout", "data"];

function prepare(table) {
  "use strict";
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);

  const fieldsOf = (row) =>
    Object.fromEntries(Array.from(row.getElementsByTagName("i"), (field, k) => [FIELDS[k], field.textContent]));
  const fields = new Map(rows.map((row) => [row, fieldsOf(row)]));
  const compare = (a, b) => a.localeCompare(b, "en", { numeric: true });

  const sortable = heads.filter((head) => head.dataset.key);
  sortable.forEach((head) => {
    const key = head.dataset.key;
    head.setAttribute("aria-sort", key === "factor" ? "descending" : "none");
    head.tabIndex = 0;
    const sort = () => {
      const up = head.getAttribute("aria-sort") === "descending";
      sortable.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (a, b) => (key === "factor" ? Number(a) - Number(b) : compare(a, b)) * (up ? 1 : -1);
      rows.sort((a, b) => order(fields.get(a)[key], fields.get(b)[key]));
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
      row.hidden = !Array.from(chosen).every(([key, value]) => !value || fields.get(row)[key] === value);
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = count + " of " + rows.length + " shown";
  };
  for (const key of FIELDS.slice(1)) {
    const values = Array.from(new Set(rows.map((row) => fields.get(row)[key])));
    if (values.length < 2) continue;
    values.sort(compare);
    const label = document.createElement("label");
    label.textContent = key;
    const select = document.createElement("select");
    select.name = key;
    select.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
    select.addEventListener("change", () => {
      chosen.set(key, select.value);
      apply();
    });
    label.append(select);
    bar.append(label);
  }
  bar.append(shown);
  bar.hidden = false;
  apply();
}

// A link to a folded test opens it.
function open_linked() {
  "use strict";
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target instanceof HTMLDetailsElement) target.open = true;
}

const violated = document.getElementById("violated");
if (violated) prepare(violated);
window.addEventListener("hashchange", open_linked);
open_linked();
