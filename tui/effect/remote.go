package effect

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/verb/agents"
	verbs "cupola/core/verb/history"
	"cupola/core/verb/registry"
	"cupola/tui/intent"
	"cupola/tui/screen/history"
)

// Hosts are other machines, whose sessions are in the dashboard beside those of this one.
type Hosts interface {
	// Join adds what the hosts show to the frames of this machine.
	Join(ctx context.Context, local keeper.Stream) keeper.Stream
	// Address reads an address; one of this machine has no host.
	Address(text string) core.Address
	// Attach returns the command that opens a session or pane of a host on this terminal.
	Attach(at core.Address) (argv []string, err error)
}

// otherHosts knows the other machines. The zero value knows none.
type otherHosts struct {
	hosts Hosts
	door  Door
}

// at returns where a target is; nil for one of this machine.
func (x otherHosts) at(target intent.Target) *remote {
	if x.hosts == nil {
		return nil
	}
	at := x.hosts.Address(name(target))
	if at.Host == "" {
		return nil
	}
	return &remote{otherHosts: x, target: target, address: at}
}

// remote is a session or pane of another host; verbs read it on that host.
type remote struct {
	otherHosts
	target  intent.Target
	address core.Address
}

// ask calls a verb that reads.
func ask[Out any](ctx context.Context, a *remote, at registry.Target, input any) (out Out, err error) {
	answer, err := a.door.Call(ctx, at, input)
	if err != nil {
		return out, err
	}
	out, is := answer.Value.(Out)
	if !is {
		err = core.Errorf(core.InternalError, "%T is answered with a %T", input, answer.Value)
	}
	return out, err
}

// question reads the dialog of an agent without answering it.
func (a *remote) question(ctx context.Context, w intent.Question) tea.Msg {
	input := agents.AnswerIn{Deny: true}
	input.DryRun = true
	answer, err := ask[agents.AnswerOut](ctx, a, targetOf(a.target), input)
	if err != nil || len(answer.Answers) == 0 {
		return Questioned{Intent: w, Err: err}
	}
	got := &answer.Answers[0]
	return Questioned{
		Intent: w, Reason: got.BeforeReason, Asked: got.Asked, Runs: got.AsksToRun,
		Options: got.Options,
	}
}

// recall reads the sent prompts, from the records of the host.
func (a *remote) recall(ctx context.Context) (sent history.Sent, err error) {
	input := verbs.PromptsIn{Full: true}
	at := registry.Target{Session: a.target.Session}
	if a.target.Pane != "" {
		at.Session, input.Pane = "", []string{string(a.target.Pane)}
	}
	answer, err := ask[verbs.PromptsOut](ctx, a, at, input)
	for i := range answer.Prompts {
		sent.Prompts = append(sent.Prompts, answer.Prompts[i].Prompt)
	}
	sent.Total = answer.Pagination.Total
	return sent, err
}

// text returns the last lines of a pane.
func (a *remote) text(ctx context.Context, lines int, escapes bool) ([]string, error) {
	answer, err := ask[agents.TailOut](ctx, a, targetOf(a.target), agents.TailIn{Lines: lines, ANSI: escapes})
	if err == nil && len(answer.Panes) != 1 {
		err = core.Errorf(core.NotReady, "%s is not one pane", a.target.Address)
	}
	if err != nil {
		return nil, err
	}
	return answer.Panes[0].Lines, nil
}

// press presses keys.
func (a *remote) press(ctx context.Context, keys []string) error {
	_, err := ask[agents.KeysOut](ctx, a, targetOf(a.target), agents.KeysIn{Keys: keys})
	return err
}

// here is a snapshot without the sessions of other hosts, whose files are not on this machine.
func (x otherHosts) here(snapshot *core.Snapshot) *core.Snapshot {
	isRemote := func(s core.Session) bool { return x.at(intent.Target{Session: s.Name}) != nil }
	if snapshot == nil || !slices.ContainsFunc(snapshot.Sessions, isRemote) {
		return snapshot
	}
	own := *snapshot
	own.Sessions = slices.DeleteFunc(slices.Clone(snapshot.Sessions), isRemote)
	return &own
}
