// The queue of an agent: prompts that are delivered by themselves once it is idle.

import { ask, button, may, opener } from "./acts.js";
import { act, read } from "./api.js";
import { age, el } from "./dom.js";
import { address } from "./fleet.js";

// load reads the prompts that wait for a pane. Those of all panes are read, so that one that is gone is no failure.
export const load = async (where) => (await read("queue")).queue.filter((prompt) => address(prompt) === where);

const edit = (prompt) => ask(`Prompt ${prompt.position} of the queue`,
  [{ name: "msg", label: "Prompt", kind: "area", value: prompt.text, required: true }],
  ({ msg }) => act("queue", { edit: prompt.id, msg }), { label: "Keep", done: "Changed" });

// how tells about the last try to deliver a prompt.
const how = ({ outcome, why, evidence }) => outcome
  ? el("span", { class: "bad" }, " " + (why === "interrupted" ? evidence[0] : [outcome, why].filter(Boolean).join(": "))) : null;

// view draws the queue, with what may be done.
export const view = (where, prompts) => prompts.length === 0 ? null : el("section", { class: "queue", "data-key": "queue" },
  el("h3", {}, `Queue of ${where}`), el("ol", {}, prompts.map((prompt) => el("li", { "data-key": prompt.id, "data-of": prompt.id },
    el("span", { class: "why" }, prompt.text), " ", el("span", { class: "dim" }, age(prompt.at)), how(prompt),
    el("div", { class: "buttons" },
      opener("Edit", "queue", () => edit(prompt)),
      prompt.position > 1 ? button("Move up", "queue", { move: prompt.id, at: prompt.position - 1 }, { done: "Moved" }) : null,
      button("Drop", "queue", { drop: prompt.id }, { kind: "deny", sure: "Drop this prompt?", done: "Dropped" }))))));

// adder is the button that queues what is written, or null where that is not allowed or no agent is.
export const adder = (row, queue) => row.agent && may("queue")
  ? el("button", { type: "button", onclick: queue, title: "Delivered once the agent is idle" }, "Queue") : null;
