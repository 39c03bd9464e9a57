// The terminal of one pane: a grid of cells that shows its screens as they come, and the output before them.

import { FitAddon } from "/xterm/addon-fit.mjs";
import { SearchAddon } from "/xterm/addon-search.mjs";
import { UnicodeGraphemesAddon } from "/xterm/addon-unicode-graphemes.mjs";
import { Terminal as Xterm } from "/xterm/xterm.mjs";

// mostHistory is how many lines of earlier output are kept. Fonts have from leastFont to mostFont pixels.
const mostHistory = 5000;
const leastFont = 10;
const mostFont = 14;
// cellRatio is the width of a cell by the size of its font.
const cellRatio = 0.61;

// made makes an element for xterm.js. The page's policy takes no elements and no attributes with styles, since they
// could come from elsewhere: what xterm.js writes there is set by scripts, which the policy takes.
function made(tag) {
  const element = Document.prototype.createElement.call(document, tag === "style" ? "span" : tag);
  if (tag !== "style") {
    element.setAttribute = (name, value) => {
      if (name === "style") element.style.cssText = value;
      else Element.prototype.setAttribute.call(element, name, value);
    };
    return element;
  }
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  Object.defineProperty(element, "textContent", { set: (rules) => sheet.replaceSync(rules) });
  element.remove = () => {
    Element.prototype.remove.call(element);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return element;
}

// making is the document whose elements are made so.
const making = () => new Proxy(document, {
  get(target, name) {
    if (name === "createElement") return made;
    const value = target[name];
    return typeof value === "function" ? value.bind(target) : value;
  },
});

// palette are the colours of the theme, in the order of a terminal's 16.
const palette = ["dim", "bad", "good", "warn", "busy", "ask", "accent", "strong"];
const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function theme() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  const colours = { background: of("ground"), foreground: of("text"), cursor: of("accent"), selectionBackground: of("selection") };
  names.forEach((name, i) => {
    colours[name] = of(palette[i]);
    colours["bright" + name[0].toUpperCase() + name.slice(1)] = of(palette[i]);
  });
  return colours;
}

const attributes = { b: 1, i: 3, u: 4, r: 7, s: 9 };

// faint is the colour of faint text: less of another colour could not be read.
const faint = "8";

// styleOf is the escape sequence of a run's style.
function styleOf({ a = "", c, g }) {
  const codes = [0, ...[...a].map((letter) => attributes[letter]).filter(Boolean)];
  for (const [colour, base] of [[c || (a.includes("d") ? faint : ""), 38], [g, 48]]) {
    if (!colour) continue;
    if (colour[0] === "#") codes.push(base, 2, ...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    else codes.push(base, 5, Number(colour));
  }
  return `\x1b[${codes.join(";")}m`;
}

const textOf = (line) => line.map((run) => run.t).join("");
const drawn = (line) => line.map((run) => styleOf(run) + run.t).join("") + "\x1b[0m";

// Terminal is the terminal of a pane in an element. It is closed when the element has left the page.
export class Terminal {
  constructor(element, label) {
    this.element = element;
    this.lines = [];
    this.before = [];
    this.wrapped = false;
    this.xterm = new Xterm({
      allowProposedApi: true, cursorBlink: false, convertEol: false, disableStdin: true, documentOverride: making(),
      fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', fontSize: mostFont, minimumContrastRatio: 4.5,
      scrollback: mostHistory, theme: theme(),
    });
    this.fit = new FitAddon();
    this.search = new SearchAddon();
    for (const addon of [this.fit, this.search, new UnicodeGraphemesAddon()]) this.xterm.loadAddon(addon);
    document.createElement = made; // parts of xterm.js use this one, whatever document they are given
    this.xterm.open(element);
    delete document.createElement;
    this.xterm.textarea.setAttribute("aria-label", "Keys for " + label);
    this.xterm.textarea.tabIndex = -1;
    // What a key press writes, the key has told already; but for the blank, whose key tells nothing.
    this.xterm.attachCustomKeyEventHandler((event) => event.type !== "keypress" || event.key === " ");
    this.repaint = new MutationObserver(() => { this.xterm.options.theme = theme(); });
    this.repaint.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.resized = new ResizeObserver(() => this.size());
    this.resized.observe(element);
  }

  close() {
    this.repaint.disconnect();
    this.resized.disconnect();
    this.xterm.dispose();
  }

  // show draws a screen; only the lines that differ are written.
  show(screen) {
    this.screen = screen;
    if (this.wrapped) return this.draw();
    if (this.xterm.cols !== screen.columns || this.xterm.rows !== screen.rows) this.size();
    const now = screen.lines.map(drawn);
    let text = "\x1b[?25l";
    for (let y = 0; y < screen.rows; y++) {
      if (now[y] === this.lines[y]) continue;
      text += `\x1b[${y + 1};1H${now[y] || ""}\x1b[K`;
    }
    const first = this.lines.length === 0;
    this.lines = now;
    this.xterm.write(text + this.cursor(), () => { if (first) this.end(); });
  }

  // end scrolls to the last line that is written on; blank ones below it stay out of view.
  end() {
    const { lines, rows, y } = this.screen;
    const last = Math.max(y, lines.findLastIndex((line) => textOf(line).trim()));
    const high = this.element.querySelector(".xterm-screen").clientHeight / rows;
    this.element.scrollTop = Math.max(0, (last + 2) * high - this.element.clientHeight);
  }

  cursor() {
    const { x, y } = this.screen;
    return x < 0 ? "" : `\x1b[${y + 1};${x + 1}H\x1b[?25h`;
  }

  // size makes the terminal as wide as its pane in a font that fits, or as wide as the page where lines are wrapped.
  size() {
    if (!this.screen || !this.element.clientWidth) return;
    const { columns, rows } = this.screen;
    const fitting = Math.floor(this.element.clientWidth / columns / cellRatio);
    this.xterm.options.fontSize = this.wrapped ? mostFont : Math.min(mostFont, Math.max(leastFont, fitting));
    const wide = this.wrapped ? this.fit.proposeDimensions()?.cols || columns : columns;
    if (this.xterm.cols === wide && this.xterm.rows === rows) return;
    this.xterm.resize(wide, rows);
    this.draw();
  }

  // draw writes everything anew: the output before, and the screen.
  draw() {
    const { rows, lines } = this.screen;
    this.lines = [];
    const history = this.before.map((line) => line + "\r\n").join("");
    let text = "\x1b[0m\x1b[H\x1b[2J\x1b[3J" + history;
    if (this.wrapped) {
      const last = lines.findLastIndex((line) => textOf(line).trim());
      this.xterm.write(text + "\x1b[?25l" + lines.slice(0, last + 1).map(drawn).join("\r\n"));
      return;
    }
    const shown = Math.min(this.before.length, rows - 1);
    text += `\x1b[${rows};1H` + "\n".repeat(shown);
    this.xterm.write(text);
    this.show(this.screen);
  }

  // wrap switches between the grid of the pane and lines as wide as the page.
  wrap() {
    this.wrapped = !this.wrapped;
    this.size();
    this.draw();
  }

  // earlier puts the output before the screen above it. Lines are the last ones of the pane; those that the screen
  // shows are left out.
  earlier(lines) {
    const first = this.screen.lines.map(textOf).map((line) => line.trimEnd());
    const from = Math.max(0, lines.length - this.screen.rows);
    let cut = lines.length;
    for (let at = from; at < lines.length; at++) {
      if (lines.slice(at).every((line, i) => line.trimEnd() === (first[i] || ""))) { cut = at; break; }
    }
    this.before = lines.slice(-mostHistory, cut).map((line) => line.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ""));
    this.draw();
  }

  // find goes to the text before what is found now, or after it.
  find(text, forward = false) {
    return forward ? this.search.findNext(text) : this.search.findPrevious(text);
  }

  // type passes what is typed on until it is stopped; escape twice calls ended.
  type(typed, ended) {
    let escaped = 0;
    this.xterm.options.disableStdin = false;
    this.xterm.focus();
    const data = this.xterm.onData((text) => {
      if (text === "\x1b" && performance.now() - escaped < 500) return ended();
      if (text === "\x1b") escaped = performance.now();
      typed(text);
    });
    return () => {
      data.dispose();
      this.xterm.options.disableStdin = true;
      this.xterm.blur();
    };
  }
}
