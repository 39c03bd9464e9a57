package effect

import (
	"fmt"
	"strings"

	"cupola/core/config/recipe"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/system/process/job"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// act returns a function that carries out an intent, or nil for one that is no act.
func (e *Effects) act(wanted intent.Intent) func() Done {
	if away := e.elsewhere.act(e.ctx, wanted, e.copyText); away != nil {
		return away
	}
	switch w := wanted.(type) {
	case intent.Send:
		return func() Done { return e.send(w) }
	case intent.SetOption:
		return func() Done { return ended(e.commands.set(e.ctx, w)) }
	case intent.Each:
		return func() Done { return e.each(w) }
	case intent.Spawn:
		return func() Done { return ended(e.spawn(w)) }
	case intent.Add:
		return func() Done { return ended(e.add(w)) }
	case intent.Kill:
		return func() Done { return ended(e.kill(w)) }
	case intent.Restart:
		return func() Done { return ended(e.restart(w)) }
	case intent.Rename:
		return func() Done { return ended(e.rename(w)) }
	case intent.Label:
		return func() Done { return ended(e.label(w)) }
	case intent.Interrupt:
		return func() Done { return ended(e.interrupt(w)) }
	case intent.Answer:
		return func() Done { return e.answer(w) }
	case intent.Dismiss:
		return func() Done { return ended(e.dismiss(w)) }
	case intent.Copy:
		return func() Done { return ended(e.copyPane(w)) }
	case intent.CopyText:
		return func() Done { return ended(e.copyText(w.Text)) }
	case intent.Stage:
		return func() Done { return ended(e.trees.stage(e.ctx, w)) }
	case intent.Discard:
		return func() Done { return ended(e.trees.discard(e.ctx, w)) }
	case intent.Commit:
		return func() Done { return ended(e.trees.commit(e.ctx, w)) }
	case intent.MergeTree:
		return func() Done { return ended(e.trees.merge(e.ctx, w)) }
	case intent.Relay:
		return func() Done { return e.relays.ask(e.ctx, w) }
	case intent.Cancel:
		return func() Done { return ended(e.relays.cancel(e.ctx, w)) }
	case intent.StartCrew:
		return func() Done { return e.crews.start(e.ctx, w) }
	case intent.Say:
		return func() Done { return ended(e.crews.say(e.ctx, w)) }
	case intent.PauseCrew:
		return func() Done { return ended(e.crews.pause(e.ctx, w)) }
	case intent.StopCrew:
		return func() Done { return ended(e.crews.stop(e.ctx, w)) }
	case intent.StartRun:
		return func() Done { return e.stories.start(e.ctx, w) }
	case intent.PauseRun:
		return func() Done { return ended(e.stories.pause(e.ctx, w)) }
	case intent.StopRun:
		return func() Done { return ended(e.stories.stop(e.ctx, w)) }
	case intent.FinishRun:
		return func() Done { return ended(e.stories.finish(e.ctx, w)) }
	}
	return nil
}

// ended returns the result of an act; a failed one has the error only.
func ended(said string, err error) Done {
	if err != nil {
		return Done{Err: err}
	}
	return Done{Said: said}
}

func (e *Effects) send(w intent.Send) Done {
	sent, err := e.fleet.sender.Send(e.ctx,
		deliver.Request{
			Target: resolve.Target{Session: word(w.Target)}, Text: w.Text, Command: isCommand(w.Text),
			Origin: "dashboard",
		})
	done := Done{Err: err}
	parts := make([]string, 0, len(sent.Deliveries))
	for _, d := range sent.Deliveries {
		address := d.Address()
		part := address + " " + string(d.Outcome)
		if d.Outcome.Failed() {
			done.Unsent = append(done.Unsent, intent.Target{Session: d.Session, Pane: d.Pane, Address: address})
			part += ": " + d.Saw()
		}
		parts = append(parts, part)
	}
	done.Said = strings.Join(parts, ", ")
	if len(done.Unsent) > 0 {
		done.Said += "; s has the prompt again"
	}
	return done
}

func (e *Effects) spawn(w intent.Spawn) (string, error) {
	counts, err := lifecycle.ParseAgentCounts(w.Agents)
	if err != nil {
		return "", err
	}
	request := lifecycle.SpawnRequest{Session: w.Session, Launch: lifecycle.LaunchRequest{
		Agents: counts, Commands: w.Commands, Dir: w.Dir, Prompt: w.Prompt, Layout: lifecycle.Windows,
		Worktree: w.Worktree,
	}}
	if w.Preset != "" {
		preset, err := recipe.Load(e.presets, w.Preset)
		if err != nil {
			return "", err
		}
		request.Follow(preset)
	}
	made, err := e.fleet.launcher.Spawn(e.ctx, request)
	return started(made), err
}

func (e *Effects) add(w intent.Add) (string, error) {
	counts, err := lifecycle.ParseAgentCounts(w.Agents)
	if err != nil {
		return "", err
	}
	made, err := e.fleet.launcher.Add(e.ctx, lifecycle.AddRequest{Session: w.Session, Launch: lifecycle.LaunchRequest{
		Agents: counts, Commands: w.Commands, Layout: lifecycle.Windows,
		Worktree: w.Worktree,
	}})
	return started(made), err
}

func started(made *lifecycle.Launches) string {
	if made == nil {
		return ""
	}
	return "started " + screen.Count(len(made.Panes), "pane") + " in " + made.Session
}

func (e *Effects) kill(w intent.Kill) (string, error) {
	killed, err := e.fleet.launcher.Kill(e.ctx, lifecycle.KillRequest{Target: resolve.Target{Session: word(w.Target)}})
	if err != nil {
		return "", err
	}
	said := "ended " + w.Target.Address
	if killed.Reaped > 0 {
		said += " and " + screen.Count(killed.Reaped, "process") + " that outlived it"
	}
	said += leftSaid(killed.Left)
	if len(killed.Worktrees) > 0 {
		said += "; " + screen.Count(len(killed.Worktrees), "worktree") + " kept (cupola worktree-list)"
	}
	return said, nil
}

func (e *Effects) restart(w intent.Restart) (string, error) {
	restarted, err := e.fleet.launcher.Restart(e.ctx, lifecycle.RestartRequest{
		Target: resolve.Target{Session: word(w.Target)}, Fresh: w.Fresh, Every: w.Target.Pane == "",
	})
	if err != nil {
		return "", err
	}
	resumed := 0
	for i := range restarted {
		if restarted[i].Session != "" {
			resumed++
		}
	}
	said := "restarted " + w.Target.Address
	switch {
	case resumed > 0 && len(restarted) == 1:
		said += " in its last session"
	case resumed > 0:
		said += fmt.Sprintf(": %d of %s in their last sessions", resumed, screen.Count(len(restarted), "agent"))
	case !w.Fresh && len(restarted) == 1 && restarted[0].Fresh != "":
		said += " in a new session: " + restarted[0].Fresh
	}
	for i := range restarted {
		said += leftSaid(restarted[i].Left)
	}
	return said, nil
}

// leftSaid says which processes go on.
func leftSaid(left []job.Left) string {
	said := ""
	for i := range left {
		said += "; process " + left[i].String() + ", goes on"
	}
	return said
}

func (e *Effects) rename(w intent.Rename) (string, error) {
	_, err := e.fleet.launcher.Rename(e.ctx, w.From, w.To)
	return "renamed " + w.From + " to " + w.To, err
}

func (e *Effects) label(w intent.Label) (string, error) {
	labelled, err := e.fleet.labels.Set(e.ctx, lifecycle.LabelRequest{
		Target: resolve.Target{Session: word(w.Target)}, Label: w.Label,
	})
	said := "took the label of " + w.Target.Address + " away"
	if w.Label != "" {
		said = "labelled " + w.Target.Address + " " + w.Label
	}
	if len(labelled) > 1 {
		said += fmt.Sprintf(" (%s)", screen.Count(len(labelled), "agent"))
	}
	return said, err
}

func (e *Effects) interrupt(w intent.Interrupt) (string, error) {
	results, err := e.fleet.sender.Interrupt(e.ctx,
		deliver.InterruptRequest{Target: resolve.Target{Session: word(w.Target)}})
	if err != nil {
		return "", err
	}
	changed := 0
	for i := range results {
		if results[i].Changed {
			changed++
		}
	}
	if changed == 0 {
		return "nothing to interrupt in " + w.Target.Address, nil
	}
	return "interrupted " + w.Target.Address, nil
}

func (e *Effects) copyPane(w intent.Copy) (string, error) {
	tails, err := e.fleet.output.Tail(e.ctx, output.Request{Target: resolve.Target{Session: string(w.Pane)}})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for i := range tails {
		for _, line := range tails[i].Lines {
			text.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return e.copyText(text.String())
}

func (e *Effects) copyText(text string) (string, error) {
	if err := e.clip(text); err != nil {
		return "", fmt.Errorf("copy: %w", err)
	}
	lines := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	return "copied " + screen.Count(lines, "line"), nil
}

// isCommand reports whether a prompt is a command of the agent, such as /clear.
func isCommand(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(text, "/") && !strings.Contains(name[1:], "/") && !strings.Contains(text, "\n")
}
