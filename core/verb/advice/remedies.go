package advice

import "cupola/core"

// remedies are the words for each remedy. Blanks such as {pane} are filled with the subject
// of a failure; an action with a blank is repeated for each of several subjects.
var remedies = map[core.Remedy]struct {
	hint    string
	actions []string
	// add is the missing part of the command line besides the suggestion, as NAME=VALUE.
	add string
	// missing is the flag that the details name as missing.
	missing string
}{
	core.RemedyListSessions: {actions: listSessions},
	core.RemedyListHosts:    {actions: []string{"cupola hosts"}},
	core.RemedyEnableHost:   {hint: "You disabled it; 'cupola hosts-enable {host}' enables it again."},
	core.RemedyTestHost:     {actions: []string{"cupola hosts-check {host}"}},
	core.RemedyInstallOnHost: {
		hint:    "Cupola can be copied there if the machine is of the same kind.",
		actions: []string{"cupola hosts-add {host} --install"},
	},
	core.RemedyInstallReleased: {
		hint: "Fetch the release for that machine into a folder, and name the folder with --from.",
	},
	core.RemedyStartSession:  {hint: "Start one with 'cupola spawn' and a name."},
	core.RemedyAttachSession: {actions: []string{"cupola attach {session}"}},
	core.RemedyOwnServer: {
		hint: "Set that option to off in the configuration of tmux, or make the session in Cupola's own server with " +
			"--engine=own.",
		add: "engine=own",
	},
	core.RemedyNameSession: {
		hint: "{kind} is a kind of agent: name the session first, and choose its agents with --type={kind}.",
		add:  "type={kind}",
	},
	core.RemedyShowPane:   {actions: []string{"cupola tail {pane}"}},
	core.RemedyShowDialog: {actions: []string{"cupola answer {pane} --dry-run"}},
	core.RemedyRestartWhich: {
		hint:    "Name them with --panes, or by an address such as {pane}; --all restarts every one.",
		missing: "--panes",
	},
	core.RemedyPressWhere: {
		hint: "Name them with --panes, or by an address such as {pane}; --all presses them in every pane, shells " +
			"too.",
		missing: "--panes",
	},
	core.RemedyNarrowLess:    {hint: "--panes, --type, --exclude and the pane's address all narrow the choice."},
	core.RemedyIncludeShells: {add: "all"},
	core.RemedyAwaitEnd:      {add: "for=" + string(core.Exited)},
	core.RemedyAnswerSingly: {
		hint: "Answer one at a time: see in 'details' what each asks. --all gives every one the same answer.",
	},
	core.RemedyAdopt: {
		hint:    "Adopt the pane with 'cupola adopt', then restart it.",
		actions: []string{"cupola adopt {pane}"},
	},
	core.RemedyResumeWhich: {
		hint: "Compare their last prompts in 'details' with the agent's screen, and name the one to take up with " +
			"--resume, or start it without any with --fresh.",
		actions: []string{
			"cupola restart-pane {pane} --resume={conversation}", "cupola tail {pane}",
			"cupola restart-pane {pane} --fresh",
		},
	},
	core.RemedyAdoptKind: {
		hint:    "Pane {pane} probably holds an agent of kind {kind}: look at it, and adopt it.",
		actions: []string{"cupola tail {pane}", "cupola adopt {pane} --kind={kind} --dry-run"},
	},
	core.RemedyStartFresh: {
		hint: "Start it without its session with --fresh, or end the agent yourself and take up the session that " +
			"you know.",
		actions: []string{"cupola restart-pane {pane} --fresh"},
	},
	core.RemedyReplaceDraft: {hint: "--replace-draft clears it first."},
	core.RemedySendCommand:  {hint: "--command sends it as that."},
	core.RemedyTypeAnyway:   {hint: "--command types into it."},
	core.RemedyForce:        {hint: "Look at the pane first; --force types all the same."},
	core.RemedyAnswerQuestion: {
		hint: "It is a question, and a prompt would answer it: answer it with 'cupola answer', or press keys with " +
			"'cupola keys'; --force types the text all the same.",
		actions: []string{"cupola answer {pane} --dry-run", "cupola keys {pane} Escape --dry-run"},
	},
	core.RemedyPressKeys: {
		hint:    "It is answered in writing: --text types one of its answers, and 'cupola keys' presses other keys.",
		actions: []string{"cupola keys {pane} C-c --dry-run"},
	},
	core.RemedyRaiseCeiling: {
		hint:    "Raise the ceiling with 'cupola budget-set', or send it all the same with --override-budget.",
		actions: []string{"cupola budget", "cupola budget-set {ceiling}"},
	},
	core.RemedyRepairStore: {
		hint:    "Repair the store ('cupola doctor'), or send it all the same with --override-budget.",
		actions: []string{"cupola doctor", "cupola budget"},
	},
	core.RemedySetCeilings: {
		hint: "Set them again with 'cupola budget-set'.", actions: []string{"cupola budget"},
	},
	core.RemedyListCeilings: {actions: []string{"cupola budget"}},
	core.RemedyListQueue:    {actions: []string{"cupola queue"}},
	core.RemedyListPrompts:  {actions: []string{"cupola history"}},
	core.RemedyListPalette:  {hint: "See 'cupola palette'.", actions: []string{"cupola palette"}},
	core.RemedyListAlerts:   {hint: "See 'cupola alerts' for the ids.", actions: []string{"cupola alerts"}},
	core.RemedyListTools:    {actions: listTools},
	core.RemedyAllowTime:    {hint: "Allow more time with --timeout."},
	core.RemedyListItems: {
		hint: "See 'cupola bead-list' for those that exist.", actions: []string{"cupola bead-list"},
	},
	core.RemedyOtherItem: {
		hint:    "Choose another item, or look who has it with 'cupola bead-show'.",
		actions: []string{"cupola bead-list --ready"},
	},
	core.RemedyNameTasks: {
		hint: "Changes are in openspec/changes; without one, give --tasks a Markdown file with check boxes.",
	},
	core.RemedyBeginItems: {
		hint: "Go to the project, name it with --dir, or begin with 'bd init'.",
	},
	core.RemedyNameProject:   {hint: "Go to the project, or name it with --dir."},
	core.RemedyReadLess:      {hint: "Ask for less of the history with --since."},
	core.RemedyListWorktrees: {actions: []string{"cupola worktree-list"}},
	core.RemedyShowWorktree:  {actions: []string{"cupola worktree-diff {tree} --dir {repo}"}},
	core.RemedyMakeWorktrees: {
		hint: "This repository has none: 'cupola spawn' with --worktree gives each agent its own.",
	},
	core.RemedyReuseWorktree: {
		hint: "It belongs to another session, or is left from an earlier one: merge it with worktree-merge and " +
			"remove it with worktree-remove, start an agent in it with --dir, or use another session name.",
	},
	core.RemedyMergeCommitted: {
		hint:    "Have the agent commit them, or merge what is committed with --committed-only.",
		actions: []string{"cupola worktree-merge {tree} --dir {repo} --committed-only"},
	},
	core.RemedyGiveUpWorktree: {
		hint: "Look at it with worktree-diff, and merge it with worktree-merge. To give it up, end its session if " +
			"it runs, then worktree-remove --discard.",
	},
	core.RemedyListCheckpoints: {
		hint: "See 'cupola checkpoint-list'.", actions: []string{"cupola checkpoint-list"},
	},
	core.RemedyOtherCheckpoint: {
		hint: "Choose another name, or leave --name out.", actions: []string{"cupola checkpoint-list"},
	},
	core.RemedyOmitPatches:   {hint: "Commit or stash what is there, or restore without --apply."},
	core.RemedySavePreset:    {hint: "Presets are in {dir}; 'cupola save' writes one."},
	core.RemedyListRuns:      {hint: "See 'cupola run-list'.", actions: []string{"cupola run-list"}},
	core.RemedyShowRun:       {actions: []string{"cupola run-show {run}"}},
	core.RemedyCancelRun:     {actions: []string{"cupola run-cancel {run}"}},
	core.RemedyResumeRun:     {actions: []string{"cupola run-resume {run}"}},
	core.RemedyListStories:   {hint: "See 'cupola story-list'.", actions: []string{"cupola story-list"}},
	core.RemedyListCrewFiles: {hint: "See 'cupola crew-recipes'.", actions: []string{"cupola crew-recipes"}},
	core.RemedyStartAgentSession: {
		hint: "Begin one with 'cupola agent-session-init' and --change, or name one with --session or RALPH_SESSION.",
	},
	core.RemedyNameAgentSession: {hint: "Name one with --session."},
	core.RemedyResumeAgentSession: {
		hint: "Give it another owner.", actions: []string{"cupola agent-session-resume --session={run}"},
	},
	core.RemedyFlushAgentSession: {
		hint:    "Work in that session, or end it when its work is done.",
		actions: []string{"cupola agent-status --session={run}", "cupola agent-session-flush --session={run}"},
	},
	core.RemedyNextStory: {
		hint:    "Begin one, or name one with --story or RALPH_STORY.",
		actions: []string{"cupola agent-session-next-story --session={run}"},
	},
	core.RemedyShowTasks:  {actions: []string{"cupola agent-context --session={run}"}},
	core.RemedyListLabels: {hint: "See 'cupola relay-labels'.", actions: []string{"cupola relay-labels"}},
	core.RemedyResumeSteps: {
		hint: "Look whether it was done, then resume and say so: --interrupted=done, or --interrupted=repeat to run " +
			"it again.",
		actions: []string{
			"cupola run-show {run}",
			"cupola pipeline-run --resume={run} --interrupted=done",
			"cupola pipeline-run --resume={run} --interrupted=repeat",
		},
	},
	core.RemedyGiveSession:  {hint: "Give one with --session."},
	core.RemedyGiveVariable: {hint: "Give it with --vars {name}=VALUE."},
	core.RemedyOpenFolder: {
		hint:    "You own the folder {dir}, and 'chmod u+rwx {dir}' opens it.",
		actions: []string{"cupola doctor --problems"},
	},
	core.RemedyShowSettings: {actions: []string{"cupola config-show"}},
	core.RemedyMendSettings: {actions: []string{"cupola doctor --problems", "cupola config-edit"}},
	core.RemedyEditSettings: {hint: "Change it by hand with 'cupola config-edit'."},
	core.RemedySetForUser:   {hint: "Set it in the user's own file, without --in-project."},
	core.RemedyMoveToUser:   {hint: "Set it in the user's own file, with 'cupola config-edit'."},
	core.RemedyReplaceSettings: {
		hint:    "Change it with 'cupola config-set', or replace it with --force.",
		actions: []string{"cupola config-show", "cupola config-init --force --dry-run"},
	},
}
