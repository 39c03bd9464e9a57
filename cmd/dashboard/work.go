package dashboard

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/config"
	"cupola/core/config/palette"
	"cupola/core/fleet"
	"cupola/core/fleet/resolve"
	"cupola/core/git/changes"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/money"
	"cupola/tui/screen"
)

const (
	// lastPrompts is how many of the newest prompts are looked at for the last one of every agent.
	lastPrompts = 500
	// countEvery is how often transcripts are read for costs and contexts.
	countEvery = 30 * time.Second
	// offered is how many earlier prompts forms offer.
	offered = 50
)

// agentWork finds out what is known of the work of agents. It is not safe for concurrent use.
type agentWork struct {
	env    *verb.Env
	fleet  *fleet.Fleet
	server string

	// kinds are the installed kinds; nil until they were looked for. missing are the others.
	kinds   []string
	missing []screen.Missing
	// modes are the modes of at least one of kinds.
	modes []string
	// both are the kinds that can be shown by screen and by protocol.
	both []string

	counted time.Time
	context map[core.PaneID]int
	// cost is the cost of agents of today, by session/agent, in USD.
	cost map[string]float64
	// pulls knows the pull requests of branches.
	pulls *pulls
}

// read returns what is known of the work of a snapshot's agents, and what forms can offer. What cannot be read is
// left out.
func (a *agentWork) read(ctx context.Context, snapshot *core.Snapshot) (map[core.PaneID]screen.Work, screen.Offers) {
	if time.Since(a.counted) >= countEvery {
		a.count(ctx)
	}
	prompts, texts := a.prompts(ctx, snapshot)
	kinds := a.installed()
	used := folders(snapshot)
	trees := treeWork(ctx, used)
	a.pulls.complete(ctx, trees)
	work := map[core.PaneID]screen.Work{}
	for _, pane := range snapshot.Panes() {
		if pane.IsUser() {
			continue
		}
		one := trees[changes.Root(pane.Process.Dir)]
		one.Prompt, one.ContextUsed = prompts[pane.ID], a.context[pane.ID]
		one.CostUSD = a.cost[pane.Session+"/"+pane.Agent.Name]
		work[pane.ID] = one
	}
	return work, screen.Offers{
		Kinds: kinds, Missing: a.missing, Presets: a.presets(), Folders: used,
		Prompts: append(texts, a.saved()...), Modes: a.modes, Both: a.both,
		Profiles: slices.Sorted(maps.Keys(a.env.Settings().Profiles)), Sandboxes: a.sandboxes(),
		Ran: a.ran(ctx, snapshot),
	}
}

// ran returns the sessions that can be started again, unless they shall not be offered.
func (a *agentWork) ran(ctx context.Context, snapshot *core.Snapshot) (offered []screen.Ran) {
	if a.env.Settings().Restore.Auto == config.RestoreNever {
		return nil
	}
	for _, session := range a.fleet.Dir.Ran(ctx, snapshot) {
		one := screen.Ran{Session: session.Name, Dir: session.Dir, Until: session.Seen, Panes: len(session.Panes)}
		for i := range session.Panes {
			if agent := &session.Panes[i].Agent; agent.Kind.IsAgent() {
				one.Agents = append(one.Agents, agent.Name)
			}
		}
		offered = append(offered, one)
	}
	return offered
}

// sandboxes returns the names of the sandboxes that can be held here, as far as that is known at once.
func (a *agentWork) sandboxes() []string {
	set := verb.SandboxesOf(&a.env.Local)
	return slices.DeleteFunc(set.Names(), func(name string) bool { return !set.Installed(name) })
}

// installed returns the kinds of agents whose programs are on the PATH.
func (a *agentWork) installed() []string {
	if a.kinds != nil {
		return a.kinds
	}
	a.kinds = []string{}
	kinds, has := verb.Kinds(a.env.Paths), map[core.Mode]bool{}
	for _, program := range kinds.Installables() {
		kind := program.Kind
		if _, err := exec.LookPath(program.Program); err == nil {
			a.kinds = append(a.kinds, string(kind.ID))
			if len(program.Ways) > 1 {
				a.both = append(a.both, string(kind.ID))
			}
			for mode := range kind.Launch.Modes {
				has[core.Mode(mode)] = true
			}
		} else if kind.Launch.Install != "" && kind.Screen == "" { // adapters are for who has the agent
			a.missing = append(a.missing, screen.Missing{Kind: string(kind.ID), Install: kind.Launch.Install})
		}
	}
	for _, mode := range core.Modes() {
		if has[mode] {
			a.modes = append(a.modes, string(mode))
		}
	}
	return a.kinds
}

// presets returns the names of the saved sessions.
func (a *agentWork) presets() []string {
	files, err := filepath.Glob(filepath.Join(a.env.Paths.Presets(), "*.toml"))
	if err != nil {
		return nil
	}
	for i := range files {
		files[i] = strings.TrimSuffix(filepath.Base(files[i]), ".toml")
	}
	return files
}

// saved returns the saved prompts.
func (a *agentWork) saved() []string {
	prompts, err := palette.Load(a.env.Location)
	if err != nil {
		return nil
	}
	return core.Map(prompts, func(p palette.Prompt) string { return p.Text })
}

// folders returns the folders of a snapshot's sessions and panes.
func folders(snapshot *core.Snapshot) []string {
	dirs := core.Map(snapshot.Sessions, func(s core.Session) string { return s.Dir })
	for _, pane := range snapshot.Panes() {
		dirs = append(dirs, pane.Process.Dir)
	}
	slices.Sort(dirs)
	return slices.DeleteFunc(slices.Compact(dirs), func(dir string) bool { return dir == "" })
}

// prompts returns the last prompt of each pane of a snapshot, and the newest texts, each once.
func (a *agentWork) prompts(
	ctx context.Context, snapshot *core.Snapshot,
) (last map[core.PaneID]string, texts []string) {
	records, err := a.env.Store(ctx)
	if err != nil {
		return nil, nil
	}
	found, err := store.PromptsIn(records).Find(ctx, store.PromptQuery{Server: a.server, Limit: lastPrompts})
	if err != nil {
		return nil, nil
	}
	sent := slices.DeleteFunc(found.Prompts, func(p core.Prompt) bool {
		return p.Origin == core.OriginAnswer || p.Origin == core.OriginInterrupt
	})
	for i := range sent {
		if text := sent[i].Text; len(texts) < offered && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return lastOf(sent, snapshot), texts
}

// lastOf returns the last of prompts, the newest first, that each pane of a snapshot was sent. The ids of panes begin
// anew with each terminal server: what was sent before the session of a pane began was sent to another pane.
func lastOf(sent []core.Prompt, snapshot *core.Snapshot) map[core.PaneID]string {
	began := map[core.PaneID]time.Time{}
	for i := range snapshot.Sessions {
		for _, pane := range snapshot.Sessions[i].Panes {
			began[pane.ID] = snapshot.Sessions[i].Created
		}
	}
	last := map[core.PaneID]string{}
	for i := range sent {
		for d := range sent[i].Deliveries {
			at := &sent[i].Deliveries[d]
			if last[at.Pane] == "" && !at.Outcome.Failed() && !sent[i].At.Before(began[at.Pane]) {
				last[at.Pane] = sent[i].Text
			}
		}
	}
	return last
}

// count reads how much of their contexts agents have used, and what they cost today.
func (a *agentWork) count(ctx context.Context) {
	a.counted = time.Now()
	if uses, err := a.fleet.Conversations.ContextUsed(ctx, resolve.Target{}); err == nil {
		a.context = map[core.PaneID]int{}
		for i := range uses {
			a.context[uses[i].Pane] = max(0, uses[i].Percent)
		}
	}
	directory, err := a.env.Budget()
	if err != nil || money.Count(ctx, a.fleet, directory.Ledger(), nil) != nil {
		return
	}
	today := money.DayOf(time.Now())
	sum, err := directory.Ledger().Sum(ctx, usage.Query{Since: today, Owned: true, Group: usage.ByAgent})
	if err != nil {
		return
	}
	a.cost = map[string]float64{}
	for i := range sum.Rows {
		a.cost[sum.Rows[i].Key] = sum.Rows[i].Cost
	}
}

// treeWork returns how the working trees that folders are in changed, by their roots. What cannot be read is left out.
func treeWork(ctx context.Context, dirs []string) map[string]screen.Work {
	trees, err := changes.Read(ctx, changes.BaseBranch, dirs, os.Environ())
	if err != nil {
		return nil
	}
	work := map[string]screen.Work{}
	for i := range trees {
		added, deleted := trees[i].Lines()
		work[trees[i].Root] = screen.Work{
			Root: trees[i].Root, Branch: trees[i].Branch, Worktree: trees[i].Worktree != "", Added: added,
			Deleted: deleted,
		}
	}
	return work
}
