// Elements. Text is always text: nothing that a pane shows becomes markup.

// el makes an element with properties and children; a child may be text, an element, or nothing.
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

// glyphs and words of the states.
const glyphs = {
  working: "●", waiting: "◆", idle: "○", limited: "◔", error: "✗", starting: "…", exited: "▪", unknown: "?",
};

export function state(row) {
  const word = row.reason ? `${row.state} (${row.reason.replaceAll("_", " ")})` : row.state;
  return el("span", { class: "state " + row.state }, el("span", { "aria-hidden": "true" }, glyphs[row.state] || "?"),
    " " + word);
}

// age says how long ago a time is.
export function age(time) {
  if (!time) return "";
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["m", 60]]) {
    if (seconds >= size) return Math.floor(seconds / size) + unit;
  }
  return Math.floor(seconds) + "s";
}

export const dollars = (value, known = true) => (value || known) && value ? "$" + value.toFixed(4) : "-";

// table shows rows; columns are [heading, function of a row, class].
export function table(caption, columns, rows, open) {
  if (rows.length === 0) return el("p", { class: "empty" }, "Nothing yet.");
  return el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "hidden" }, caption),
      el("thead", {}, el("tr", {}, columns.map(([heading]) => el("th", { scope: "col" }, heading)))),
      el("tbody", {}, rows.map((row) => el("tr", open ? { class: "row", tabIndex: 0, onclick: () => open(row),
        onkeydown: (event) => event.key === "Enter" && open(row) } : { class: "row", tabIndex: 0 },
        columns.map(([, cell, kind]) => el("td", { class: kind }, cell(row))))))));
}

// bars is a chart of values: [label, value, shown].
export function bars(title, values) {
  const most = Math.max(...values.map(([, value]) => value), 1e-9);
  return el("figure", { class: "bars" }, el("figcaption", {}, title),
    el("ul", {}, values.map(([label, value, shown]) => {
      const bar = el("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = Math.max(0.5, 100 * value / most) + "%";
      return el("li", {}, el("span", { class: "label" }, label), el("span", { class: "track" }, bar),
        el("span", { class: "value" }, shown));
    })));
}

let timer;
// say tells the user what happened.
export function say(text, bad = false) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.className = bad ? "bad" : "good";
  clearTimeout(timer);
  timer = setTimeout(() => { said.textContent = ""; said.className = ""; }, bad ? 12000 : 4000);
}

// tried runs an action and tells a failure.
export async function tried(action, done) {
  try {
    const result = await action();
    if (done) say(typeof done === "function" ? done(result) : done);
    return result;
  } catch (failure) {
    say(failure.message + (failure.hint ? " " + failure.hint : ""), true);
    return null;
  }
}

// drawScreen puts a screen into an element.
export function drawScreen(element, screen) {
  const lines = screen.lines.map((runs, y) => {
    const line = el("div", { class: "line" });
    let x = 0;
    for (const run of runs) {
      line.append(span(run, run.t));
      x += run.t.length;
    }
    if (y === screen.y) line.classList.add("cursor-line");
    if (runs.length === 0) line.append(" ");
    return line;
  });
  while (lines.length > 1 && lines[lines.length - 1].textContent.trim() === "" && lines.length - 1 > screen.y) lines.pop();
  const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 8;
  element.replaceChildren(...lines);
  if (atEnd || !element.dataset.drawn) element.scrollTop = element.scrollHeight;
  element.dataset.drawn = "yes";
}

function span(run, text) {
  const part = document.createElement("span");
  part.textContent = text;
  const classes = [...(run.a || "")].map((letter) => "a-" + letter);
  for (const [name, value] of [["c", run.c], ["g", run.g]]) {
    if (!value) continue;
    if (value[0] === "#") part.style[name === "c" ? "color" : "backgroundColor"] = value;
    else classes.push(name + value);
  }
  part.className = classes.join(" ");
  return part;
}
