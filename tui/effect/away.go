package effect

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/keeper"
	"cupola/tui/intent"
	"cupola/tui/screen/history"
)

// Hosts are other machines, whose sessions are in the dashboard beside those of this one.
type Hosts interface {
	// Join adds what the hosts show to the frames of this machine.
	Join(ctx context.Context, local keeper.Stream) keeper.Stream
	// Split divides HOST/SESSION; false for a session of this machine.
	Split(address string) (host, rest string, is bool)
	// Call calls a verb on a host, with its input by name, and reads the answer into a value as encoding/json does.
	Call(ctx context.Context, host, verb string, input map[string]any, into any) error
	// Attach returns the command that opens a session or pane of a host on this terminal.
	Attach(host, address string) (argv []string, err error)
}

// elsewhere is what is on other machines. The zero value has none.
type elsewhere struct{ hosts Hosts }

// at returns where a target is; nil for one of this machine.
func (x elsewhere) at(target intent.Target) *away {
	if x.hosts == nil {
		return nil
	}
	host, rest, is := x.hosts.Split(name(target))
	if !is {
		return nil
	}
	_, identity, _ := x.hosts.Split(word(target))
	return &away{hosts: x.hosts, host: host, session: rest, identity: identity, address: target.Address}
}

// away is a session or pane of another host.
type away struct {
	hosts Hosts
	host  string
	// session is its name over there, or the id of a pane.
	session string
	// identity is what it alone answers to over there.
	identity string
	// address is what people call it here.
	address string
}

func (a *away) call(ctx context.Context, verb string, input map[string]any, into any) error {
	if input["session"] == nil {
		input["session"] = a.session
	}
	return a.hosts.Call(ctx, a.host, verb, input, into)
}

// delivered is the answer of a prompt that went to another host.
type delivered struct{ Deliveries []core.Delivery }

// act returns a function that carries out an intent on another host; nil for an intent of this machine. Copied is
// what becomes of a text that is copied.
func (x elsewhere) act(ctx context.Context, wanted intent.Intent, copied func(string) (string, error)) func() Done {
	to := x.at(targetOf(wanted))
	if to == nil {
		return nil
	}
	said := func(verb string, input map[string]any, said string) func() Done {
		return func() Done { return ended(said, to.call(ctx, verb, input, &struct{}{})) }
	}
	switch w := wanted.(type) {
	case intent.Send:
		return func() Done { return to.send(ctx, w) }
	case intent.Answer:
		return func() Done { return to.answer(ctx, w) }
	case intent.Interrupt:
		return said("interrupt", map[string]any{}, "interrupted "+to.address)
	case intent.Kill:
		return said("kill", map[string]any{"session": to.identity, "yes": true}, "ended "+to.address)
	case intent.Restart:
		return said("restart-pane", map[string]any{"session": to.identity, "yes": true, "fresh": w.Fresh},
			"restarted "+to.address)
	case intent.Rename:
		return to.rename(ctx, w)
	case intent.Label:
		return said("label", map[string]any{"label": w.Label, "clear": w.Label == ""},
			"labelled "+to.address+" "+w.Label)
	case intent.Spawn:
		return said("spawn", to.launch(w.Agents, w.Commands, map[string]any{
			"dir": w.Dir, "prompt": w.Prompt, "worktree": w.Worktree, "preset": w.Preset,
		}), "started "+w.Session)
	case intent.Add:
		return said("add", to.launch(w.Agents, w.Commands, map[string]any{"worktree": w.Worktree}),
			"started more in "+w.Session)
	case intent.Copy:
		return func() Done {
			text, err := to.text(ctx, 0, false)
			if err != nil {
				return Done{Err: err}
			}
			return ended(copied(strings.Join(text, "\n") + "\n"))
		}
	}
	return func() Done {
		return Done{Err: core.Errorf(core.NotReady, "that is not done on another host: open the dashboard there")}
	}
}

// rename gives a session another name, which may be written with its host.
func (a *away) rename(ctx context.Context, w intent.Rename) func() Done {
	name := w.To
	if host, rest, is := a.hosts.Split(w.To); is && host == a.host {
		name = rest
	}
	return func() Done {
		return ended("renamed "+w.From+" to "+w.To, a.call(ctx, "rename", map[string]any{"to": name}, &struct{}{}))
	}
}

// launch is the input of what starts agents, without what is empty.
func (a *away) launch(agents, commands []string, more map[string]any) map[string]any {
	input := map[string]any{"session": a.session}
	for name, value := range more {
		if text, is := value.(string); !is || text != "" {
			input[name] = value
		}
	}
	for name, list := range map[string][]string{"agents": agents, "cmd": commands} {
		if len(list) > 0 {
			input[name] = listed(list)
		}
	}
	return input
}

// targetOf is what an intent is about; zero if that is no session and no pane.
func targetOf(wanted intent.Intent) intent.Target {
	switch w := wanted.(type) {
	case intent.Send:
		return w.Target
	case intent.Answer:
		return w.Target
	case intent.Interrupt:
		return w.Target
	case intent.Kill:
		return w.Target
	case intent.Restart:
		return w.Target
	case intent.Label:
		return w.Target
	case intent.Rename:
		return intent.Target{Session: w.From, Address: w.From}
	case intent.Spawn:
		return intent.Target{Session: w.Session, Address: w.Session}
	case intent.Add:
		return intent.Target{Session: w.Session, Address: w.Session}
	case intent.Copy:
		return intent.Target{Pane: w.Pane, Address: string(w.Pane)}
	}
	return intent.Target{}
}

func (a *away) send(ctx context.Context, w intent.Send) Done {
	var answer delivered
	err := a.call(ctx, "send", map[string]any{"msg": w.Text, "command": isCommand(w.Text)}, &answer)
	done := Done{Err: err}
	var parts []string
	for i := range answer.Deliveries {
		d := &answer.Deliveries[i]
		part := d.Address() + " " + string(d.Outcome)
		if d.Outcome.Failed() {
			part += ": " + d.Saw()
		}
		parts = append(parts, part)
	}
	if err != nil {
		done.Unsent = []intent.Target{w.Target}
	}
	done.Said = strings.Join(parts, ", ")
	return done
}

// answeredAway is the answer of the verb that answers.
type answeredAway struct {
	Answers []struct {
		Reason   core.Reason    `json:"before_reason"`
		Asked    []string       `json:"asked"`
		Options  []agent.Option `json:"options"`
		Chosen   string         `json:"chosen"`
		Resolved bool           `json:"resolved"`
	}
}

func (a *away) answer(ctx context.Context, w intent.Answer) Done {
	input := map[string]any{}
	for name, value := range map[string]string{"expect": string(w.Expect), "showing": w.Showing, "text": w.Text} {
		if value != "" {
			input[name] = value
		}
	}
	switch {
	case w.Approve:
		input["approve"] = true
	case w.Deny:
		input["deny"] = true
	case w.Text == "":
		input["choose"] = w.N
	}
	var answer answeredAway
	if err := a.call(ctx, "answer", input, &answer); err != nil || len(answer.Answers) == 0 {
		return Done{Err: err}
	}
	got := &answer.Answers[0]
	done := Done{Said: a.address + " was answered", Open: !got.Resolved}
	if got.Chosen != "" {
		done.Said += ": " + got.Chosen
	}
	if done.Open {
		done.Said += "; it asks something else now"
	}
	return done
}

// question reads the dialog of an agent without answering it.
func (a *away) question(ctx context.Context, w intent.Question) tea.Msg {
	var answer answeredAway
	err := a.call(ctx, "answer", map[string]any{"deny": true, "dry-run": true}, &answer)
	if err != nil || len(answer.Answers) == 0 {
		return Questioned{Intent: w, Err: err}
	}
	got := &answer.Answers[0]
	return Questioned{Intent: w, Reason: got.Reason, Asked: got.Asked, Options: got.Options}
}

// recall reads what was sent, from the records over there.
func (a *away) recall(ctx context.Context) (history.Sent, error) {
	input := map[string]any{"session": a.session}
	if strings.HasPrefix(a.session, "%") {
		input = map[string]any{"pane": listed([]string{a.session})}
	}
	var answer struct {
		Prompts    []core.Prompt
		Pagination struct{ Total int }
	}
	err := a.hosts.Call(ctx, a.host, "history", input, &answer)
	return history.Sent{Prompts: answer.Prompts, Total: answer.Pagination.Total}, err
}

// text returns the last lines of a pane; 0 is its screen.
func (a *away) text(ctx context.Context, lines int, escapes bool) ([]string, error) {
	var answer struct{ Panes []struct{ Lines []string } }
	if err := a.call(ctx, "tail", map[string]any{"lines": lines, "ansi": escapes}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Panes) != 1 {
		return nil, core.Errorf(core.NotReady, "%s is not one pane", a.address)
	}
	return answer.Panes[0].Lines, nil
}

// press presses keys.
func (a *away) press(ctx context.Context, keys []string) error {
	return a.call(ctx, "keys", map[string]any{"keys": listed(keys)}, &struct{}{})
}

// listed is a list of words as an input has it.
func listed(words []string) []any {
	list := make([]any, len(words))
	for i := range words {
		list[i] = words[i]
	}
	return list
}

// here is a snapshot without the sessions of other hosts, whose files are not on this machine.
func (x elsewhere) here(snapshot *core.Snapshot) *core.Snapshot {
	isAway := func(s core.Session) bool { return x.at(intent.Target{Session: s.Name}) != nil }
	if snapshot == nil || !slices.ContainsFunc(snapshot.Sessions, isAway) {
		return snapshot
	}
	own := *snapshot
	own.Sessions = slices.DeleteFunc(slices.Clone(snapshot.Sessions), isAway)
	return &own
}
