// What starts agents and runs, and says something to many.

import { ask, opener } from "./acts.js";
import { act, read } from "./api.js";
import { tried } from "./dom.js";

// names are the names in a list that a verb answers with; none where it fails.
async function names(verb, list, name, wanted = () => true) {
  try {
    return (await read(verb))[list].filter(wanted).map((one) => [one[name]]);
  } catch {
    return []; // they can be typed
  }
}

// commands reports whether the server runs commands, and takes folders outside its project.
const commands = () => document.documentElement.dataset.commands === "true";

// agents opens the form that starts agents: in a new session, or in one that is there.
async function agents(session) {
  const kinds = await names("tools", "tools", "tool", (one) => one.kind === "agent" && one.installed);
  const verb = session ? "add" : "spawn";
  ask(session ? "Start agents in " + session : "Start agents", [
    session ? null : { name: "session", label: "Session", required: true },
    { name: "kind", label: "Kind of agent", kind: "list", options: kinds, value: kinds[0]?.[0] || "", required: true },
    { name: "count", label: "How many", kind: "number", value: 1 },
    session ? null : { name: "dir", label: "Folder", hint: commands() ? "that of the server" : "in the server's project" },
    { name: "worktree", label: "Each in a git worktree of its own", kind: "check" },
    { name: "sandbox", label: "Sandbox", kind: "choice", options: [["", "none"], ["project"], ["offline"]] },
    { name: "prompt", label: "First prompt", kind: "area" },
  ], ({ kind, count = 1, ...rest }) => act(verb, { session, ...rest, agents: [`${kind}=${count}`] }), {
    label: "Start",
    done: (answer) => "Started " + answer.panes.filter((pane) => pane.agent).map((pane) => pane.agent).join(", "),
  });
}

// toMany opens the form that sends one prompt to several agents.
function toMany(sessions) {
  ask("Send to many", [
    { name: "session", label: "To", kind: "choice", options: [["*", "all agents"], ...sessions.map((name) => [name])] },
    { name: "msg", label: "Prompt", kind: "area", required: true },
    { name: "when", label: "Agents that take prompts while they work get it", kind: "choice",
      options: [["", "once they are idle"], ["now", "at once"]] },
  ], (values) => act("send", values), { label: "Send", done: ({ deliveries }) => `Sent to ${deliveries.length}` });
}

const backends = () => names("backends", "backends", "backend", (one) => one.available);
const sandbox = { name: "sandbox", label: "Sandbox", kind: "choice", options: [["", "as set"], ["read-only"], ["workspace-write"]] };
// list are the words of a text, separated by commas or blanks.
const list = (text = "") => text.split(/[,\s]+/).filter(Boolean);

const begin = (verb, values) => act(verb, { ...values, background: true });

async function relay() {
  ask("Ask a backend", [
    { name: "to", label: "Backend", kind: "list", options: await backends() },
    { name: "prompt", label: "Prompt", kind: "area", required: true }, sandbox,
    { name: "include-diff", label: "With the changes of the working tree", kind: "check" },
  ], (values) => begin("relay", { ...values, to: list(values.to) }), { label: "Ask", done: "Asked" });
}

async function crew() {
  const [recipes, all] = await Promise.all([names("crew-recipes", "recipes", "name"), backends()]);
  ask("Start a crew", [
    { name: "recipe", label: "Recipe", kind: "list", options: recipes, value: recipes[0]?.[0] || "", required: true },
    { name: "backends", label: "Backends", kind: "list", options: all, hint: "as set; several with commas" },
    { name: "prompt", label: "Task", kind: "area", required: true }, sandbox,
  ], ({ backends, ...rest }) => begin("crew-run", { ...rest, backends: list(backends) }),
  { label: "Start", done: "Started" });
}

async function stories() {
  const [changes, all] = await Promise.all([names("story-list", "changes", "change"), backends()]);
  ask("Work on stories", [
    { name: "change", label: "Change", kind: "list", options: changes, required: true },
    { name: "agent", label: "Agent", kind: "list", options: all }, sandbox,
    commands() ? { name: "verify", label: "Command that proves a story", hint: "as set" } : null,
  ], (values) => begin("story-run", values), { label: "Start", done: "Started" });
}

// offers are the buttons that open the forms, by what they start.
const offer = (label, verb, open) => opener(label, verb, () => tried(open));
export const starts = (sessions) => [
  offer("Start agents", "spawn", () => agents()),
  sessions.length ? offer("Send to many", "send", () => toMany(sessions)) : null,
];
export const addTo = (session) => offer("Add agents", "add", () => agents(session));
export const startRuns = () => [
  offer("Ask a backend", "relay", relay), offer("Start a crew", "crew-run", crew), offer("Work on stories", "story-run", stories),
];
