// Changes: what differs in the working trees of the agents, line by line, with comments that go to the agent.

import { ask, button, may, opener } from "./acts.js";
import { act, read } from "./api.js";
import { el, table } from "./dom.js";

const nameOf = (path) => path.split("/").filter(Boolean).slice(-2).join("/");
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// load reads the list of trees, or one of them.
export async function load(page, tree) {
  const { working_trees: trees } = await read("changes", tree ? { tree, patch: true } : {});
  if (tree) return () => one(trees[0]);
  return () => el("section", {}, el("h2", {}, "Changes"), table("Working trees", [
    ["Folder", (row) => nameOf(row.tree)], ["Branch", (row) => row.branch || ""],
    ["Changed", (row) => plural(row.changed_files.length, "file")],
    ["Agents", (row) => row.addresses.join(", "), "flex"],
  ], [...trees].sort((a, b) => b.changed_files.length - a.changed_files.length),
  { open: (row) => { location.hash = "#/changes/" + encodeURIComponent(row.tree); }, empty: "No agent works in a git repository." }));
}

// comments are those that are not sent yet, by tree: where, the line, and what is said.
const comments = new Map();

const ofTree = (tree) => comments.get(tree) || [];

const same = (line, path) => (other) => other.path === path && other.number === line.number && other.text === line.text;

// comment opens the form for a comment on a line.
function comment(tree, path, line) {
  const before = ofTree(tree).find(same(line, path));
  ask(`${path}:${line.number}`, [{ name: "said", label: line.text, kind: "area", value: before?.said || "" }], async ({ said }) => {
    const rest = ofTree(tree).filter((other) => other !== before);
    comments.set(tree, said ? [...rest, { path, number: line.number, text: line.text, said }] : rest);
  }, { label: "Keep" });
}

// prompt is all comments on a tree as one prompt.
const prompt = (tree) => "Please look at these comments on what changed.\n" +
  ofTree(tree).map(({ path, number, text, said }) => `\n${path}:${number}\n> ${text}\n${said}\n`).join("");

// one draws a tree.
function one(tree) {
  const root = tree.tree, to = tree.addresses[0], waiting = ofTree(root).length, patch = tree.patch || "";
  const open = tree.changed_files.filter((file) => file.staged || file.unstaged);
  const folder = document.documentElement.dataset.commands === "true" ? { dir: root } : {};
  return el("section", { class: "changes", "data-of": root, "data-key": root },
    el("h2", {}, nameOf(root), " ", el("span", { class: "dim" }, tree.branch || "", " ", tree.addresses.join(", "))),
    el("div", { class: "buttons" },
      to && waiting ? button(`Send ${plural(waiting, "comment")} to ${to}`, "send", () => ({ session: to, msg: prompt(root) }),
        { kind: "main", done: () => { comments.delete(root); return "Sent to " + to; } }) : null,
      open.length ? opener("Commit", "changes", () => ask("Commit",
        [{ name: "title", label: "Message", kind: "area", required: true }],
        (values) => act("changes", { ...values, tree: root, do: "commit" }), { done: ({ commit }) => "Committed " + commit }), { level: "writes" }) : null,
      tree.worktree ? button("Merge", "worktree-merge", { name: root, ...folder },
        { sure: `Merge ${tree.branch} into its base branch?`, done: "Merged" }) : null,
      tree.worktree ? button("Discard the worktree", "worktree-remove", { names: [root], discard: true, yes: true, ...folder },
        { kind: "deny", sure: `Remove the worktree ${nameOf(root)} with all work in it?`, done: "Removed" }) : null),
    tree.problem ? el("p", { class: "bad" }, tree.problem) : null,
    patch ? null : el("p", { class: "dim" }, "No line differs."),
    diffs(patch).map((file) => el("article", { class: "diff", "data-key": file.path },
      el("h3", {}, file.path, " ", open.some(({ path }) => path === file.path)
        ? button("Discard", "changes", { tree: root, do: "discard", files: [file.path], yes: true }, { level: "destroys", kind: "deny",
          "data-of": file.path, sure: `Take back the changes of ${file.path}?`, done: "Discarded; 'cupola undo' brings it back" }) : null),
      el("ol", {}, file.lines.map((line) => lineOf(root, file.path, line))))),
    tree.cut ? el("p", { class: "dim" }, "The rest is too long to be shown.") : null);
}

function lineOf(root, path, line) {
  if (line.number === undefined) return el("li", { class: "hunk" }, line.text);
  const said = ofTree(root).find(same(line, path))?.said, open = () => comment(root, path, line);
  return el("li", { class: { "+": "row added", "-": "row deleted" }[line.text[0]] || "row", ...(may("send") ? {
    tabIndex: 0, title: "Comment on this line", onclick: open, onkeydown: (event) => event.key === "Enter" && open(),
  } : {}) }, el("span", { class: "number" }, String(line.number)), el("code", {}, line.text || " "),
  said ? el("p", { class: "said" }, said) : null);
}

// diffs reads a patch as git writes it: files with their lines, which have the number in the new file, or in the old
// one where they were deleted.
function diffs(patch) {
  const files = [];
  let old = 0, now = 0, within = false;
  for (const text of patch.split("\n")) {
    const file = files.at(-1);
    const hunk = /^@@ -(\d+)\S* \+(\d+)/.exec(text);
    if (text.startsWith("diff --git ")) {
      files.push({ path: / b\/(.*)$/.exec(text)?.[1] || text, lines: [] });
      within = false;
    } else if (hunk && file) {
      [old, now, within] = [Number(hunk[1]), Number(hunk[2]), true];
      file.lines.push({ text });
    } else if (within && /^[ +-]/.test(text)) {
      file.lines.push({ text, number: text[0] === "-" ? old : now });
      if (text[0] !== "+") old++;
      if (text[0] !== "-") now++;
    }
  }
  return files;
}
