// Elements. Text is always text: nothing that a pane shows becomes markup.

// el makes an element with properties and children; a child may be text, an element, or nothing.
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) on(element, key.slice(2), value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

const dispatch = (event) => event.currentTarget.handlers[event.type]?.(event);

// on sets what an element does at an event, which morph can replace.
function on(element, type, handler) {
  element.handlers ||= {};
  if (!(type in element.handlers)) element.addEventListener(type, dispatch);
  element.handlers[type] = handler;
}

// morph makes an element that is shown equal to one that was made anew, and leaves alone what is equal: scrolling,
// selections, the focus and what is written stay. Children are told apart by data-key; what has data-keep stays as it
// is.
export function morph(old, now) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== now.data) old.data = now.data;
    return;
  }
  if ("keep" in now.dataset) return;
  for (const { name, value } of now.attributes) {
    if (name === "style") old.style.cssText = value; // the attribute is refused by the page's policy
    else if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!now.hasAttribute(name) && name !== "data-settled") old.removeAttribute(name);
  }
  for (const [type, handler] of Object.entries(now.handlers || {})) on(old, type, handler);
  if (["INPUT", "TEXTAREA", "SELECT"].includes(old.tagName)) return;
  const keyed = new Map([...old.childNodes].filter((one) => one.dataset?.key).map((one) => [one.dataset.key, one]));
  let at = old.firstChild;
  for (const child of [...now.childNodes]) {
    const key = child.dataset?.key;
    const same = key ? keyed.get(key) : at && !at.dataset?.key ? at : null;
    if (!same || same.nodeName !== child.nodeName) {
      old.insertBefore(child, at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    morph(same, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
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

// clock is the time of a moment in the user's zone, with its day if it is not today.
export function clock(time) {
  const at = new Date(time), day = at.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
  return at.toLocaleString("en-GB", { hour: "2-digit", minute: "2-digit", ...day });
}

export const dollars = (value, known = true) => (value || known) && value
  ? "$" + value.toFixed(value < 0.1 ? 4 : 2) : "-";

export const heading = (text) => el("h2", {}, text);
export const number = (value) => (value || 0).toLocaleString("en");

// gauge shows how much of all is done.
export const gauge = (done, all, text = `${done}/${all}`) =>
  el("span", {}, el("progress", { max: all || 1, value: Math.min(done, all), "aria-label": text }), " " + text);

// table shows rows, or says that there are none; columns are [heading, function of a row, class], or null.
export function table(caption, given, rows, { open, empty = "Nothing yet." } = {}) {
  const columns = given.filter(Boolean);
  if (rows.length === 0) return el("p", { class: "empty" }, empty);
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

// tried runs an action, says what was done, and tells a failure; it returns null then.
export async function tried(action, done, wrong = (text) => say(text, true)) {
  try {
    const result = await action();
    if (done) say(typeof done === "function" ? done(result) : done);
    return result;
  } catch (failure) {
    wrong(failure.message + (failure.hint ? " " + failure.hint : ""));
    return null;
  }
}

// drawScreen puts a screen into an element, and changes only the lines that differ.
export function drawScreen(element, screen) {
  let last = screen.lines.length - 1;
  while (last > 0 && last > screen.y && screen.lines[last].every((run) => run.t.trim() === "")) last--;
  const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 8;
  for (let y = 0; y <= last; y++) {
    const text = JSON.stringify(screen.lines[y]);
    let line = element.children[y];
    if (!line) element.append(line = el("div", { class: "line" }));
    if (line.drawn !== text) {
      line.replaceChildren(...(screen.lines[y].length ? screen.lines[y].map((run) => span(run, run.t)) : [" "]));
      line.drawn = text;
    }
    line.classList.toggle("cursor-line", y === screen.y);
  }
  while (element.children.length > last + 1) element.lastChild.remove();
  if (atEnd || element.dataset.drawn !== "yes") element.scrollTop = element.scrollHeight;
  element.dataset.drawn = "yes";
}

function span(run, text) {
  const part = document.createElement("span");
  part.textContent = text;
  if (run.w) Object.assign(part.style, { display: "inline-block", width: run.w + "ch" });
  const classes = [...(run.a || "")].map((letter) => "a-" + letter);
  for (const [name, value] of [["c", run.c], ["g", run.g]]) {
    if (!value) continue;
    if (value[0] === "#") part.style[name === "c" ? "color" : "backgroundColor"] = value;
    else classes.push(name + value);
  }
  part.className = classes.join(" ");
  return part;
}
