// The filters of a run's matrix, and links to what is folded. Without it the pages lack only these.
"use strict";

for (const form of document.querySelectorAll("[data-filters]")) {
  const rows = [...form.parentElement.querySelectorAll("tr[data-pack]")];
  const count = form.querySelector("[data-count]");
  const fields = [...form.querySelectorAll("select")];
  const wanted = (name) => form.elements[name]?.value || "";
  const fits = (value, name) => !wanted(name) || value.split(" ").includes(wanted(name));

  function show() {
    let calls = 0;
    for (const row of rows) {
      const cells = [...row.querySelectorAll("[data-verdict]")];
      const named = ["pack", "category", "difficulty"].every((name) => fits(row.dataset[name], name));
      const fitting = cells.filter((cell) => fits(cell.dataset.verdict, "verdict") && fits(cell.dataset.gate, "gate"));
      for (const cell of cells) cell.classList.toggle("dim", !fitting.includes(cell));
      row.hidden = !(named && fitting.length);
      if (!row.hidden) calls += fitting.length;
    }
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = `${calls} ${calls === 1 ? "call" : "calls"} of ${shown} ${shown === 1 ? "task" : "tasks"}`;
  }

  function remember() {
    const chosen = new URLSearchParams();
    for (const field of fields) if (field.value) chosen.set(field.name, field.value);
    history.replaceState(null, "", chosen.size ? `#${chosen}` : "#");
  }

  function recall() {
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const field of fields) {
      const value = chosen.get(field.name);
      field.value = [...field.options].some((option) => option.value === value) ? value : "";
    }
    show();
  }

  form.hidden = false;
  form.addEventListener("change", () => { show(); remember(); });
  form.addEventListener("reset", () => setTimeout(() => { show(); remember(); }));
  addEventListener("hashchange", recall);
  recall();
}

// A link to an agent opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();
