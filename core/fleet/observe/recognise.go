package observe

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
	"cupola/core/system/shell"
)

// AgentOf returns the agent that a pane holds: as its tags say or, without tags, as the signs show that were found of
// it. For a dead pane only the tags count.
func (o *Observer) AgentOf(pane *engine.Pane) core.Agent {
	found, _, _ := o.recognise(pane)
	return found
}

// recognise returns the agent that a pane holds, and its process with AtPrompt. It is unsure if there are signs of an
// agent, but too few.
func (o *Observer) recognise(pane *engine.Pane) (found core.Agent, held core.Process, unsure bool) {
	held = pane.Process
	found = core.Agent{
		Missed: moment(pane.Tags[engine.TagMissed]), Label: pane.Tags[engine.TagLabel],
		Continues: panetag.DecodeContinuation(pane.Tags[engine.TagContinue]),
		Rules:     panetag.DecodeRules(pane.Tags[engine.TagRules]),
		Pinned:    pane.Tags[engine.TagPinned] != "",
	}
	found.Queued, _ = strconv.Atoi(pane.Tags[engine.TagQueued])
	if until := moment(pane.Tags[engine.TagSnoozed]); until.After(o.opts.Now()) {
		found.Snoozed = until
	}
	switch id := pane.Tags[engine.TagKind]; {
	case id != "":
		kind, ok := o.opts.Kinds.Find(id)
		if !ok || kind.ID == core.KindGeneric || kind.ID == core.KindCommand {
			held.AtPrompt = AtPrompt(o.opts.Engine.Processes(), held)
		}
		found.Name, found.Kind, found.Variant = pane.Tags[engine.TagName], core.Kind(id), pane.Tags[engine.TagVariant]
		found.Launch, found.Started = pane.Tags[engine.TagLaunch], moment(pane.Tags[engine.TagStarted])
		found.Recognised, found.Profile = "tag", pane.Tags[engine.TagProfile]
		found.Sandbox = pane.Tags[engine.TagSandbox]
		if ok && len(kind.Launch.Modes) > 0 {
			argv, _ := shell.Words(found.Launch)
			found.Mode = kind.Launch.ModeOf(argv)
		}
		if ok && (IsShell(held.Command) || found.Sandbox != "") && !held.Dead {
			found.PID = o.runs(kind, held.PID).PID
		}
	case held.Dead || held.Command == "":
		return core.Agent{}, held, false
	default:
		var standing agent.Standing
		standing, found.PID, held.AtPrompt = o.standing(pane)
		switch {
		case standing.Kind == "", !standing.Sure && standing.By[0] == core.SignTitle:
			// A title alone may remain from an agent that has ended.
			return core.Agent{}, held, standing.Kind != ""
		case !standing.Sure:
			return core.Agent{Maybe: standing.Kind, Signs: standing.By, Confidence: standing.Confidence}, held, true
		case standing.By[0] == core.SignProcess:
			found.Recognised = "process"
		default:
			found.Recognised = "signs"
		}
		found.Kind, found.Signs, found.Confidence = standing.Kind, standing.By, standing.Confidence
	}
	o.assignRole(pane, &found)
	return found, held, false
}

// moment reads a tag of Unix milliseconds; zero where there is none.
func moment(tag string) time.Time {
	ms, err := strconv.ParseInt(tag, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Foreground returns the leader of the foreground process group of a pane's terminal or, if
// that has ended, the pane's own process.
func Foreground(processes process.Source, pid int) process.Proc {
	root, err := processes.Find(pid)
	if err != nil {
		return process.Proc{}
	}
	if root.Foreground == root.PID {
		return root
	}
	if front, err := processes.Find(root.Foreground); err == nil {
		return front
	}
	return root
}

// agentProcess returns the process that is the agent of a pane or, where none is known to be, the one in the
// foreground.
func agentProcess(processes process.Source, pane *core.Pane) process.Proc {
	if pane.Agent.PID != 0 {
		if p, err := processes.Find(pane.Agent.PID); err == nil {
			return p
		}
	}
	return Foreground(processes, pane.Process.PID)
}

// runs returns the first process of a tree that is a program of the kind, or a script that starts it; zero if there
// is none.
func (o *Observer) runs(kind *agent.Kind, pid int) process.Proc {
	processes := o.opts.Engine.Processes()
	tree := processes.Tree(pid)
	i := slices.IndexFunc(tree, func(p process.Proc) bool { return isOf(o.opts.Kinds, kind, p, processes.Argv(p.PID)) })
	if i < 0 {
		return process.Proc{}
	}
	return tree[i]
}

// isOf reports whether a process is a program of the kind, or a script that starts
// it.
func isOf(kinds *agent.Kinds, kind *agent.Kind, p process.Proc, argv []string) bool {
	return kinds.Runs(kind.ID, p) ||
		slices.ContainsFunc(argv[:min(len(argv), 2)], func(arg string) bool { return names(kind, path.Base(arg)) })
}

func names(kind *agent.Kind, program string) bool {
	return slices.Contains(kind.Process.Names, program) ||
		len(kind.Launch.Command) > 0 && kind.Launch.Command[0] != agent.Self &&
			path.Base(kind.Launch.Command[0]) == program
}

var shells = []string{
	"sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "elvish", "xonsh",
	"pwsh", "busybox",
}

// IsShell reports whether a program's name is the name of a shell, as a login shell or not.
func IsShell(command string) bool {
	return slices.Contains(shells, strings.TrimPrefix(path.Base(command), "-"))
}
