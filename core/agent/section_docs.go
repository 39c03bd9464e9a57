package agent

// sectionDoc describes a table. Its keys are written as NAME: FORM. WHAT IT MEANS; lines that begin with a blank
// continue the key above.
type sectionDoc struct{ name, says, keys string }

var sectionDocs = []sectionDoc{
	{"", "What the kind is called.", `
id: text. The name in commands and answers: small letters, digits and dashes. Without it the file's name counts. The
 id of a kind that Cupola knows changes that kind: keys that are left out keep their values.
short: text. A short name for flags and for the names of agents, which no other kind may have. Without it, the id.
name: text. The program's own name, for people.
like: text. Another kind; this program is a fork or a wrapper of it: its keys hold where this file says nothing, but
 for its command and process, and those of headless, acp, skills, mcp and hook.install, which are true of that program.
unproven: text. What of the kind was never seen, shown in the list of tools.
history: true or false. True if lines that scrolled off are the agent's own words, as for programs that do not take
 the alternate screen.
`},
	{"launch", "How an agent of the kind is started.", `
command: list of texts. The program and its arguments; {self} is Cupola's own program. Required for a new kind.
model: list of texts. The arguments that choose a model, with {model} in them.
resume: list of texts. The arguments that continue an earlier session, with {session} in them.
fork: list of texts. The arguments that begin a new conversation where an earlier session is, with {session} in them.
resumed: pattern. Finds in what the program prints at its end the id to resume, as its first group.
resume_minute: true or false. True if a session must not be resumed in the minute in which it began.
one_by_one: true or false. True if agents that resume must be ready before the next one starts.
session: list of texts. The arguments that give a new session an id, with {session} in them.
chooses: list of texts. Flags that choose a session themselves, so that launch.session is left out beside them.
worktree: list of texts. Flags with which it makes a git worktree of its own, refused where the agent gets one already.
by: screen or acp. How its panes are shown where nothing else is asked for: acp needs the part [acp].
timeout: duration. How long the first prompt may take to appear: "60s".
install: text. A command that installs the program, shown in the list of tools.
env: list of texts. Variables that it is given, as NAME=VALUE, or as NAME for the value that the caller's has.
inherit_env: true or false. False if it inherits none of the caller's variables but those that programs cannot do
 without, such as HOME and PATH.
`},
	{"launch.mode.NAME", "" +
		"The modes in which it can be started: plan (changes nothing), ask, accept-edits (edits files unasked), auto " +
		"(asks before nothing).", `
args: list of texts. The arguments that select it.
other: list of lists of texts. Further arguments that mean it, by which it is recognised.
`},
	{"sandbox", "" +
		"What agents of the kind need in a sandbox. A path begins with {home}/, their own folder, with ~/, or at the " +
		"project; with a / at its end it is a folder that is made. The rest of their own folder is read-only.", `
writes: list of texts. What they change.
reads: list of texts. What they see beside that, or cannot change below it. A folder with /* at its end is shown with
 what is in it, and what they make in it ends with the sandbox.
fresh: list of texts. Patterns of names in {home} that are not shown, and that each sandbox has anew.
copies: list of texts. Files that each sandbox gets a copy of, which ends with it.
env: list of texts. Variables of the caller's that they get, with * for any end.
guards: list of texts. What of a project they take commands from, and so must not change.
`},
	{"process", "How a running agent is recognised.", `
names: list of texts. Names of its program in the foreground of a pane.
hosts: list of texts. Programs that may run it, such as node or python3; their command line decides.
script: pattern. What a host runs: its first argument that is not a flag. It also matches paths at which installers put
 the program under another name.
title: pattern. The terminal's title while the program runs; left out where other programs set such titles too.
overview: pattern. The title while the program lists its agents instead of showing one; no prompt is typed there.
team: text. The flag that names the team, on the command line of an agent that another one started.
member: text. The flag there that names the agent in its team.
lead: text. The flag there that names the session of the agent that leads the team.
`},
	{"keys", "What to press. Their names: Enter, Escape, EscapeU (as CSI 27 u), C-c, BSpace.", `
submit: list of keys. Submits the draft.
queue: list of keys. Submits a prompt that waits for the running turn, where submit gives it to that turn.
interrupt: list of keys. Stops the running turn.
exit: list of keys. Ends the program.
clear: list of keys. Empties a draft of one line.
gap: duration. The pause between the keys of one list.
`},
	{"typing", "How text must be typed.", `
settle: duration. The pause between a paste and submit, since some programs take an early Enter for a part of the
 paste.
busy: text. What becomes of a prompt while a turn runs: "queues" keeps it for the next turn, "steers" gives it to
 the running one.
loses_early: true or false. True if text is lost that comes before the first prompt is drawn.
strands_queued: true or false. True if a denial ends the turn and leaves queued prompts waiting for the next one.
`},
	{"typing.escape[]", "" +
		"Texts that the program would take for something else, such as a command. Each is a table of its own.", `
text: pattern. The texts that it is about.
taken: text. What the program takes them for, such as "a shell command".
command: true or false. True if a sender may want that; then it is sent as it is to those who say so.
before: text. What is typed before the text so that it stays plain. Without before and after, the text is refused.
after: text. What is typed behind it.
becomes: text. How the program changes the text, where nothing prevents that.
`},
	{"composer", "" +
		"Where the input box is. With prompt, bottom and more the kind's screens are read; without, nothing " +
		"on them is.", `
bottom: pattern. The lower edge of the box; '^$' for a box without edges.
top: pattern. The upper edge. Without it the box begins with the row that matches prompt.
prompt: pattern. What begins the first row of a draft, and is no part of it: '^> ?'.
more: pattern. What begins the other rows of a draft: '^  '.
mode: pattern. Begins the first row while the box is in a mode of its own, such as a shell's.
mode_below: pattern. A row below the box in such a mode, where no mark begins the first row.
skip_top: whole number. Rows inside the frame, at its top, that are not the draft.
skip_bottom: whole number. The same at its bottom.
below: whole number. The most rows below the box, blank ones left out.
cursor: text. Where the terminal's cursor is while the box has the keyboard: "inside", "visible" (inside, and not
 hidden), or "" for anywhere.
drawn: list of patterns. A row of the box, or below it, in programs that draw a cursor of their own.
steers: list of patterns. A row below the box in versions that give a prompt to the running turn.
scrollbar: pattern. What may be at the right end of the rows above the box.
placeholders: list of patterns. Whole drafts that the program shows itself: '^Type a prompt$'.
hints: list of patterns. What the program shows behind a command that is typed, to the end of the row: '\[[^\]]+\]$'.
ghost: true or false. True if text behind a cursor at the very start is a suggestion.
collapsed: list of patterns. The line in place of a long paste: '\[Pasted \d+ lines\]'.
plain: true or false. True if the lower edge may be missing, as in terminals with few colours.
plain_top: pattern. The upper edge there.
cropped: pattern. The upper edge in a terminal too low for the draft, where it says that rows are hidden.
`},
	{"turn", "How a conversation is drawn, for replies that are read from the screen.", `
prompt: pattern. The first row of a prompt that was submitted, with its text as the only group.
message: pattern. What begins a message of the agent's.
aside: list of patterns. Rows that only look like a message.
queued: pattern. The row right below a prompt that was not taken up yet.
edge: pattern. What is at the right end of rows and no part of them.
chrome: list of patterns. Rows that are no part of what was said.
`},
	{"context", "What the screen shows of the context window.", `
shown: list of patterns. Find it: the groups "used" or "left" are percent, "tokens" is a count such as 1.5K.
`},
	{"context.window[]", "Sizes of windows by model, where the screen shows none.", `
model: pattern. The models that it is about; the first that matches counts.
size: whole number. Tokens.
`},
	{"version", "Where the program shows its version.", `
shown: list of patterns. Find it, as their only group.
seen: list of texts. The versions whose screens were recorded, the oldest first; a newer one is reported as unseen.
`},
	{"rule.NAME", "What a part of the screen proves. A rule matches where all of its conditions hold.", `
state: text. What it proves: starting, idle, working, waiting, limited, error or exited. Without it, only notes.
reason: text. Why, by state; required with waiting: approval, question, plan, trust, login or dialog.
notes: list of texts. What else it proves: queued, retrying, interrupted, compacting, context_low, subagents and
 others.
source: text. How it is known to be right, for readers of the file.
priority: whole number. Of rules for one state the highest wins.
region: text. The rows that it looks at: "bottom", "dialog" (only where no input box is drawn), "above" and "below"
 the input box, "cursor", "title", "screen". Required.
lines: whole number. The most rows of the region, blank ones left out; without it 14.
from: pattern. The region begins at the last row that matches it.
paragraph: true or false. True if the rows above that one belong to it too, up to a blank one.
preceded: pattern. The row above must match it; it is empty at the top of the screen.
all: list of patterns. Each must match a row.
any: list of patterns. One of them must match a row.
none: list of patterns. None may match any row.
foot: pattern. Must match one of the last two rows of the region.
title: pattern. Must match the terminal's title.
launch: pattern. Must match the command line with which Cupola started the agent.
failure: text. Derives state and reason from what an error says: "words" if only failures have this mark, "form" if
 answers have it too. The rule's name must begin with failure.
versions: text. The versions of the program that it is for: ">=2.1.0, <2.2".
off: true or false. True switches a rule off that comes with Cupola.
`},
	{"answer.NAME", "" +
		"How dialogs are answered. NAME is a rule, a reason or default, which fills in what the others leave " +
		"out.", `
option: pattern. A numbered choice, with the groups "n", "label" and "at", which is empty unless the row is selected.
pointed: pattern. The selected row of a list without numbers, with the group "label".
across: pattern. Finds choices that are side by side in one row; the selected one has another background.
top: pattern. The row above the dialog.
about: list of patterns. The row that says what is asked about, in the group "what", or in the rows below.
until: list of patterns. Rows at which that ends.
pick: text. "digit" if a digit takes a choice at once, "move" if it must be moved to.
next: list of keys. Moves to the next choice.
previous: list of keys. Moves to the one before.
confirm: list of keys. Takes the choice that was moved to.
cancel: list of keys. Closes the dialog without a choice; left out where that does more.
approve: list of patterns. The label that says yes to what is asked now.
deny: list of patterns. The label that says no.
text: list of patterns. The label that takes words of one's own.
always: list of patterns. Labels that say yes to more than what is asked now; they are never taken for approve.
open: list of keys. Opens the field for words of one's own.
settle: duration. How long a dialog must have been seen before a key counts.
follow: list of patterns. Labels of a dialog that comes next only to ask once more.
shows: pattern. All that a dialog says above its options if it asks to run one command and nothing else, with {command}
 and {description} in it; blanks do not count. Without it, no rule approves it.
`},
	{"headless", "" +
		"How the program answers one prompt without a terminal, for relays. The prompt goes to its standard " +
		"input.", `
format: text. How it prints its answer: claude, codex, gemini, qwen, copilot, opencode, pi or text. Required here.
mode: list of texts. The arguments that select the mode.
args: list of texts. Further arguments.
last: list of texts. The last arguments, such as the dash that means standard input.
resume: list of texts. The arguments that continue a conversation, with {session} in them.
forget: list of texts. The arguments that keep a conversation off the disk.
totals: true or false. True if usage and cost of a continued conversation include its start.
schema: list of texts. The arguments that demand JSON by a schema, with {schema} in them.
review: list of texts. The arguments with which the program reviews the changes since {base}.
unset: list of texts. Variables that the program must not see; an asterisk at the end means all that begin so.
`},
	{"headless.sandbox.NAME", "" +
		"A sandbox mode that the program can hold: read-only, workspace-write or danger-full-access.", `
args: list of texts. Its arguments.
env: table of texts. Variables that are set for it.
guarantee: text. What holds the mode, and where that ends. Required.
`},
	{"headless.failure[]", "What its words and exit statuses mean; the first that matches counts.", `
exit: whole number. The exit status; 0 is any but success.
words: pattern. What it said; empty matches all.
code: text. The error code: AUTH_FAILED, RATE_LIMITED, NETWORK_ERROR and so on.
hint: text. What to do.
again: true or false. True if nothing was done yet, so that it can run again.
`},
	{"acp", "How the program speaks the Agent Client Protocol, for relays and panes by protocol.", `
command: list of texts. The program and its arguments; {self} is Cupola's own program. Required here.
install: text. A command that installs that program; without it, launch.install.
continues: text. How a conversation is taken up: resume, load, or never where that damages records. Without it, whatever
  the agent offers.
totals: true or false. True if the tokens of a turn include those of the turns before.
draft: true or false. True to ask for version 2 of the protocol, a draft; an agent without it is spoken to in version 1.
noise: list of patterns. Messages of the program itself, which are no answer of its model.
mode: table of texts. The agent's name for each mode of launch.mode.
`},
	{"acp.failure[]", "What its words mean; the first that matches counts.", `
words: pattern. What it said: an error, or a whole answer of one line.
code: text. The error code: AUTH_FAILED, RATE_LIMITED, NETWORK_ERROR and so on.
hint: text. What to do.
again: true or false. True if nothing was done yet, so that it can run again.
exit: whole number. Is not used.
`},
	{"skills", "Where the program finds skills and commands, for those who install Cupola's.", `
home: text. The variable that names the folder.
dir: text. The folder below the user's home, without that variable.
skill: text. The path of a skill in it, with {name} in it.
command: text. The path of a command, with {name} in it.
manifest: text. The path of a JSON file that makes a plugin of the folder.
arguments: text. The placeholder in a command for the words behind its name.
note: text. How they are used, for people.
`},
	{"mcp", "Where the program finds its MCP servers.", `
home: text. The variable that names the folder.
dir: text. The folder below the user's home, without that variable.
file: text. The file in it: JSON, or TOML by its name.
table: text. The name of the object of all servers.
entry: text. The value of one server as JSON, with "{self}" for Cupola's program, the arguments ["mcp"], and "{fleet}" in a list for the names of variables that say which fleet is meant.
environment: text. The name of the object of the server's variables in it; without it, "env".
note: text. When the program reads it, for people.
`},
	{"background", "The program's sessions that run without a terminal.", `
list: list of texts. Arguments that list them as JSON.
attach: list of texts. Arguments that open one in a terminal; "{session}" is its id.
`},
	{"limit", "How an agent continues once a usage limit has ended, where that is asked for.", `
prompt: text. The prompt that it is sent; without it, "continue".
retry: pattern. The option of the limit's own dialog with which it tries again by itself.
leave: pattern. The option that closes the dialog, after which the prompt is sent.
`},
	{"hook", "What the program's own hooks report.", `
event: list of texts. Paths in the report at which the name of the event is.
session: list of texts. Paths at which the id of the session is.
asks: list of texts. Paths at which what is asked of the user is, where the report says that the agent waits.
`},
	{"hook.edge[]", "What a report means; the first that matches counts.", `
event: pattern. The whole name of the event.
when: table of patterns. By the path of a field, what its text must match; an absent field is empty.
state: text. The state from then on.
reason: text. Its reason.
notes: list of texts. Its notes.
ends: true or false. True if the agent is about to exit.
ignore: true or false. True if such a report changes nothing; instead of a state.
command: text. The path of the whole command that the agent asks to run, for rules that approve commands.
description: text. The path of what the agent says about it.
beside: list of texts. Other fields that the object of the command may have; with any more, no rule applies.
`},
	{"hook.install", "How Cupola's hooks are put into the program's settings.", `
form: text. "commands" for entries in a JSON file, "script" for a plugin of OpenCode's form, "extension" for one of
 pi's.
home: text. The variable that names the folder.
dir: text. The folder below the user's home, without that variable.
file: text. The file in it.
events: list of texts. The events that are reported.
matcher: text. Written into every entry.
name: text. Written into every entry.
timeout: whole number. How long the program waits for a hook, in the unit of its settings.
off: table of texts. Settings that turn all hooks off, by their paths.
note: text. What to expect, for people.
`},
}
