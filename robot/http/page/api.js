// Calls of verbs, and the two streams of the server.

const base = "/api/v1/";

// Failure is an answer that says what went wrong.
export class Failure extends Error {
  constructor(document, status) {
    super(document.error || `The server answered ${status}.`);
    this.code = document.error_code || "";
    this.hint = document.hint || "";
    this.details = document.details;
  }
}

async function answer(response) {
  for (const name of ["allow", "commands"]) {
    const value = response.headers.get("Cupola-" + name);
    if (value) globalThis.document.documentElement.dataset[name] = value;
  }
  const text = await response.text();
  let document = {};
  try {
    document = JSON.parse(text);
  } catch {
    document = { error: text.trim() };
  }
  if (!response.ok || document.success === false) throw new Failure(document, response.status);
  return document;
}

// read asks a verb that only reads.
export async function read(verb, input = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, one);
  }
  const text = query.toString();
  return answer(await fetch(base + verb + (text ? "?" + text : "")));
}

// act calls a verb that does something.
export async function act(verb, input = {}) {
  return answer(await fetch(base + verb, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input),
  }));
}

// kinds are the events that change what the page shows.
const kinds = [
  "session_created", "session_renamed", "session_closed", "pane_opened", "pane_closed", "pane_moved", "pane_retitled",
  "pane_labelled",
  "agent_notified",
  "bell_rang",
  "progress_shown",
  "agent_found", "state_changed", "alert_raised", "alert_resolved", "alert_dismissed", "engine_lost", "engine_back",
  "engine_silent", "engine_answered", "keeper_changed", "resync",
];

// follow calls changed after every event, and link with whether the stream is there. The browser opens it again by
// itself, and goes on after the last event that it has.
export function follow(changed, link) {
  const events = new EventSource(base + "events");
  for (const kind of kinds) events.addEventListener(kind, changed);
  events.onopen = () => link(true);
  events.onerror = () => {
    link(false);
    if (events.readyState === EventSource.CLOSED) {
      events.close();
      setTimeout(() => follow(changed, link), 1000);
    }
  };
  return events;
}

// crewKinds are the events that change what the page shows of a crew.
const crewKinds = ["crew_start", "crew_end", "task", "message", "note", "agent_status", "turn_complete", "guardrail", "error",
  "pause", "resume"];

// followCrews calls changed after every event of a crew, until what it returns is closed.
export function followCrews(changed) {
  const events = new EventSource("/api/events");
  for (const kind of crewKinds) events.addEventListener(kind, changed);
  return events;
}

// Screens streams the screens of the panes that are in view.
export class Screens {
  constructor(drawn, changed) {
    this.drawn = drawn;
    this.changed = changed;
    this.panes = "";
    this.source = null;
  }

  // look chooses the panes.
  look(ids) {
    const panes = [...ids].sort().join(",");
    if (panes === this.panes && this.source && this.source.readyState !== EventSource.CLOSED) return;
    this.close();
    this.panes = panes;
    if (!panes) return;
    this.source = new EventSource(base + "live?panes=" + encodeURIComponent(panes));
    this.source.addEventListener("screen", (event) => this.drawn(JSON.parse(event.data)));
    this.source.addEventListener("changed", () => this.changed());
  }

  close() {
    if (this.source) this.source.close();
    this.source = null;
    this.panes = "";
  }
}
