// Calls of verbs, the key of this browser, and the one stream of the server.

const base = "/api/v1/";

// Failure is an answer that says what went wrong. Status 401 means that this browser is not signed in.
export class Failure extends Error {
  constructor(document, status) {
    super(document.error || `The server answered ${status}.`);
    this.status = status;
    this.code = document.error_code || "";
    this.hint = document.hint || "";
    this.details = document.details;
  }
}

// The key belongs to the cookie. It is kept for this address and port alone, and no other server ever gets it.
const key = () => localStorage.getItem("key") || "";

const ask = (path, how = {}) => fetch(path, { ...how, headers: { ...how.headers, "Cupola-Key": key() } });

// documents are what the server answers with: one, or a line for each of a verb that streams.
async function documents(response) {
  for (const name of ["allow", "commands"]) {
    const value = response.headers.get("Cupola-" + name);
    if (value) globalThis.document.documentElement.dataset[name] = value;
  }
  const text = await response.text();
  let all;
  try {
    all = response.headers.get("Content-Type")?.includes("ndjson")
      ? text.trim().split("\n").map((line) => JSON.parse(line)) : [JSON.parse(text)];
  } catch {
    all = [{ error: text.trim() }];
  }
  const last = all.at(-1);
  if (!response.ok || last.success === false) throw new Failure(last, response.status);
  return all;
}

const answer = async (response) => (await documents(response)).at(-1);

const posted = (input) => ({
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input),
});

// read asks a verb that only reads; lines are all lines of one that streams.
export const read = async (verb, input) => (await lines(verb, input)).at(-1);

export async function lines(verb, input = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, one);
  }
  const text = query.toString();
  return documents(await ask(base + verb + (text ? "?" + text : "")));
}

// act calls a verb that does something.
export async function act(verb, input = {}) {
  return answer(await ask(base + verb, posted(input)));
}

// signIn shows a token or a pass, and keeps the key.
export async function signIn(token) {
  const { key } = await answer(await fetch("/sign-in", posted({ token })));
  localStorage.setItem("key", key);
}

// browsers are the browsers that are signed in; signOut signs one out.
export const browsers = async () => (await answer(await ask("/sign-in"))).browsers;
export const signOut = async (id) => answer(await ask("/sign-in/" + encodeURIComponent(id), { method: "DELETE" }));

// pushKey is the key that a subscription needs; subscribe tells the server where this browser is notified.
export const pushKey = async () => (await answer(await ask("/sign-in/push"))).key;
export const subscribe = async ({ endpoint, keys }) => answer(await ask("/sign-in/push", { ...posted({ endpoint, keys }), method: "PUT" }));

// quietFor is how long a stream may be silent before it counts as lost; the server sends something every 15 s. It is
// opened again after againFirst, and after twice that each time, up to againMost. All in milliseconds.
const quietFor = 40000;
const againFirst = 500;
const againMost = 8000;

// Stream is the one stream of this tab: the screens of the panes in view, and word of all other changes.
export class Stream {
  // heard gets the name and the data of each event, link whether the stream is there.
  constructor(heard, link) {
    this.heard = heard;
    this.link = link;
    this.panes = "";
    this.again = againFirst;
    this.stopped = true;
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => { if (event.persisted) this.start(); });
    addEventListener("online", () => { if (!this.stopped) this.renew(); });
    addEventListener("offline", () => { this.abort?.abort(); link(false); });
  }

  // start opens it if it is not open.
  start() {
    if (this.stopped) this.renew();
  }

  // stop closes it until it is started.
  stop() {
    this.stopped = true;
    clearTimeout(this.waits);
    this.abort?.abort();
  }

  // renew opens it anew at once.
  renew() {
    this.stop();
    this.stopped = false;
    this.open();
  }

  // look chooses the panes whose screens come.
  look(ids) {
    const panes = [...ids].sort().join(",");
    if (panes === this.panes) return;
    this.panes = panes;
    if (this.stopped) return;
    clearTimeout(this.turning);
    this.turning = setTimeout(() => { if (!this.stopped) this.renew(); }, 50);
  }

  async open() {
    const abort = this.abort = new AbortController();
    let failed;
    try {
      const response = await ask(base + "live?panes=" + encodeURIComponent(this.panes), { signal: abort.signal });
      if (!response.ok) await answer(response);
      this.again = againFirst;
      this.link(true);
      await this.listen(response.body.pipeThrough(new TextDecoderStream()).getReader(), abort);
    } catch (failure) {
      failed = failure;
    }
    if (this.abort !== abort || this.stopped) return;
    this.link(false, failed);
    if (failed?.status === 401) { this.stopped = true; return; }
    this.waits = setTimeout(() => this.open(), this.again);
    this.again = Math.min(this.again * 2, againMost);
  }

  async listen(reader, abort) {
    let text = "", silent;
    for (;;) {
      clearTimeout(silent);
      silent = setTimeout(() => abort.abort(), quietFor);
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
      const events = text.split("\n\n");
      text = events.pop();
      for (const event of events) {
        const lines = Object.fromEntries(event.split("\n").map((line) => [line.split(": ", 1)[0], line]));
        if (lines.event) this.heard(lines.event.slice(7), JSON.parse(lines.data.slice(6)));
      }
    }
    clearTimeout(silent);
  }
}
