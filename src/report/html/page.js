"use strict";
// Tables: a click on a heading sorts, a choice filters.
for (const grid of document.querySelectorAll(".grid")) {
  const body = grid.querySelector("tbody");
  const key = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.textContent.trim();
    const number = Number(text.replace(/[,%!~+]/g, ""));
    return text !== "" && Number.isFinite(number) ? number : text;
  };
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  grid.querySelectorAll("th").forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      grid.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows];
      rows.sort((a, b) => {
        const [left, right] = [key(a, column), key(b, column)];
        const empty = left === "" || right === "";
        return down && !empty ? compare(right, left) : compare(left, right);
      });
      body.append(...rows);
    });
  });
  const choices = [...grid.querySelectorAll("select")];
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      for (const row of body.rows) {
        row.hidden = choices.some(
          (one) => one.value !== "" && row.cells[one.dataset.column].textContent !== one.value,
        );
      }
    });
  }
}

// Figures: values under the pointer, and the table behind lines.
const units = (value, steps) => {
  const [size, name, digits] = steps.find(([size]) => Math.abs(value) >= size) ?? steps.at(-1);
  return `${(value / size).toFixed(digits)} ${name}`;
};
const written = {
  count: (v) => v.toLocaleString("en", { maximumFractionDigits: Math.abs(v) < 100 ? 2 : 0 }),
  percent: (v) => `${v > 0 ? "+" : ""}${(v * 100).toFixed(2)}%`,
  quantile: (v) => `${+(v * 100).toFixed(3)} %`,
  seconds: (v) => v === 0 ? "0 s" : units(v, [[1, "s", v < 100 ? 2 : 0], [1e-3, "ms", 1], [1e-6, "us", 0]]),
  bytes: (v) => units(v, [[2 ** 40, "TiB", 1], [2 ** 30, "GiB", 1], [2 ** 20, "MiB", 1], [2 ** 10, "KiB", 1], [1, "B", 0]]),
};
const tip = document.getElementById("tip");
for (const figure of document.querySelectorAll("figure")) {
  const names = {};
  for (const key of figure.querySelectorAll(".keys span")) {
    names[key.dataset.series] = key.textContent.trim();
  }
  const panels = [...figure.querySelectorAll(".panels > div")]
    .map((box) => ({ box, data: box.querySelector("script[type='application/json']") }))
    .filter((panel) => panel.data)
    .map((panel) => ({ box: panel.box, data: JSON.parse(panel.data.textContent) }));
  for (const { box, data } of panels) {
    const svg = box.querySelector("svg");
    const cursor = document.createElementNS(svg.namespaceURI, "line");
    cursor.setAttribute("class", "cursor");
    cursor.setAttribute("visibility", "hidden");
    svg.append(cursor);
    const hide = () => {
      tip.hidden = true;
      cursor.setAttribute("visibility", "hidden");
    };
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("pointermove", (event) => {
      const place = svg.getBoundingClientRect();
      const x = ((event.clientX - place.left) / place.width) * svg.viewBox.baseVal.width;
      const [left, top, right, bottom] = data.plot;
      if (x < left || x > right) return hide();
      const near = data.lines
        .map((line) => ({
          series: line.series,
          point: line.points.reduce((a, b) => (!a || Math.abs(b[2] - x) < Math.abs(a[2] - x) ? b : a), null),
        }))
        .filter((line) => line.point);
      if (near.length === 0) return hide();
      const at = near.reduce((a, b) => (Math.abs(b.point[2] - x) < Math.abs(a.point[2] - x) ? b : a)).point;
      for (const [name, value] of [["x1", at[2]], ["x2", at[2]], ["y1", top], ["y2", bottom]]) {
        cursor.setAttribute(name, value);
      }
      cursor.setAttribute("visibility", "visible");
      tip.replaceChildren();
      const heading = document.createElement("b");
      heading.textContent = `${data.x.label} ${written[data.x.form](at[0])}`.trim();
      tip.append(heading);
      for (const line of near) {
        const row = document.createElement("div");
        row.textContent = `${names[line.series] ?? ""} ${written[data.y.form](line.point[1])}`.trim();
        tip.append(row);
      }
      tip.hidden = false;
      const width = tip.offsetWidth;
      tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - width - 8))}px`;
      tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
    });
  }
  const behind = figure.querySelector("details[data-lines]");
  behind?.addEventListener("toggle", () => {
    if (behind.querySelector("table")) return;
    const shown = panels.filter(({ box }) => !box.classList.contains("narrow"));
    for (const { box, data } of shown) {
      const scroll = document.createElement("div");
      scroll.className = "scroll";
      const table = document.createElement("table");
      const rows = new Map();
      data.lines.forEach((line, column) => {
        for (const [x, y] of line.points) {
          if (!rows.has(x)) rows.set(x, []);
          rows.get(x)[column] = y;
        }
      });
      const head = table.createTHead().insertRow();
      for (const name of [box.dataset.title || data.x.label || "time", ...data.lines.map((line) => names[line.series])]) {
        const cell = document.createElement("th");
        cell.textContent = name;
        head.append(cell);
      }
      const body = table.createTBody();
      for (const [x, values] of [...rows].sort((a, b) => a[0] - b[0])) {
        const row = body.insertRow();
        row.insertCell().textContent = written[data.x.form](x);
        data.lines.forEach((_, column) => {
          const cell = row.insertCell();
          cell.className = "number";
          cell.textContent = values[column] === undefined ? "" : written[data.y.form](values[column]);
        });
      }
      scroll.append(table);
      behind.append(scroll);
    }
  });
}
