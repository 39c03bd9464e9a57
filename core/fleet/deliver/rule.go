package deliver

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// RuleRequest asks to change the rules of agents: to add one, to end some, or only to list them.
type RuleRequest struct {
	Target resolve.Target
	// Allow is the command of a new rule, For how long it holds, and Times how often it may be used.
	Allow string
	For   time.Duration
	Times int
	// Revoke is the id of the rule to end, or RevokeAll.
	Revoke string
	DryRun bool
	Origin string
}

// RevokeAll ends all rules of the agents.
const RevokeAll = "all"

// Ruled has the rules of one agent after a change, the oldest first.
type Ruled struct {
	core.SeenPane
	// Rules hold now; Changed were made or ended.
	Rules, Changed []core.Rule
}

// Rule changes or lists the rules of the agents that a target names. Agents that come later have none of them. It
// returns NotFound if there is no rule to end.
func (s *Sender) Rule(ctx context.Context, request RuleRequest) (_ []Ruled, err error) {
	defer func() { err = fault.Wrap("answer", err) }()
	if request.Allow != "" {
		if err := core.CheckRule(request.Allow); err != nil {
			return nil, err
		}
	}
	seen, err := s.opts.Observer.Select(ctx, observe.View{}, s.opts.Resolver.Selector(request.Target))
	if err != nil {
		return nil, err
	}
	for _, pane := range seen.Panes {
		if err := s.rulable(pane); request.Allow != "" && err != nil {
			return nil, err
		}
	}
	id := core.NewPromptID(s.opts.Now())
	var ruled []Ruled
	changed := 0
	for _, pane := range seen.Panes {
		one, err := s.ruleAt(ctx, pane, &request, id)
		if err != nil {
			return ruled, err
		}
		changed += len(one.Changed)
		ruled = append(ruled, one)
	}
	if request.Revoke != "" && changed == 0 {
		return ruled, noRuleError(request.Revoke, ruled)
	}
	return ruled, nil
}

// noRuleError reports a rule that is not there, and those that are.
func noRuleError(id string, ruled []Ruled) error {
	err := core.Errorf(core.NotFound, "no rule has the id %s there", core.Cut(id))
	if id == RevokeAll {
		err = core.Errorf(core.NotFound, "there is no rule to end")
	}
	for i := range ruled {
		for _, rule := range ruled[i].Rules {
			err.Suggestions = append(err.Suggestions, rule.ID)
		}
	}
	return err
}

// ruleAt changes the rules of one agent.
func (s *Sender) ruleAt(ctx context.Context, pane *core.Pane, request *RuleRequest, id string) (Ruled, error) {
	held, err := s.opts.Dir.LockPane(ctx, pane, answerWait)
	if err != nil {
		return Ruled{}, err
	}
	defer held.Release()
	now, act := s.opts.Now(), core.ActAllow
	row, err := terminal.New(s.opts.Engine, s.opts.Observer, pane).Row(ctx)
	if row == nil {
		return Ruled{}, err
	}
	former := core.Agent{Rules: panetag.DecodeRules(row.Tags[engine.TagRules])}
	one := Ruled{SeenPane: pane.Seen(), Rules: former.LiveRules(now)}
	switch {
	case request.Allow != "":
		if len(one.Rules) >= core.RulesMost {
			return one, core.Errorf(core.Conflict, "%s has %d rules, and may have no more", pane.Address(),
				len(one.Rules))
		}
		rule := core.Rule{
			ID: id, Allow: request.Allow, Made: now, Until: now.Add(request.For), Most: request.Times,
		}
		one.Rules, one.Changed = append(one.Rules, rule), []core.Rule{rule}
	case request.Revoke != "":
		act = core.ActRevoke
		ends := func(r core.Rule) bool { return request.Revoke == RevokeAll || r.ID == request.Revoke }
		for _, rule := range one.Rules {
			if ends(rule) {
				one.Changed = append(one.Changed, rule)
			}
		}
		one.Rules = slices.DeleteFunc(one.Rules, ends)
	}
	if request.DryRun || len(one.Changed) == 0 {
		return one, nil
	}
	if err := s.writeRules(ctx, pane.ID, one.Rules); err != nil {
		return one, err
	}
	for _, rule := range one.Changed {
		s.recordRule(ctx, pane, act, rule.Allow, request.Origin)
	}
	return one, nil
}

// rulable returns Conflict for an agent whose kind never proves which command it asks to run: no rule would ever
// approve anything there.
func (s *Sender) rulable(pane *core.Pane) error {
	kind, known := s.opts.Kinds.Find(string(pane.Agent.Kind))
	if known && kind.ProvesCommands() {
		return nil
	}
	var can []string
	for _, kind := range s.opts.Kinds.All() {
		if kind.ProvesCommands() && kind.Launch.Shown() == agent.ByScreen {
			can = append(can, string(kind.ID))
		}
	}
	err := core.Errorf(core.Conflict, "%s: %s does not report which command it asks to run, and a screen proves none",
		pane.Address(), cmp.Or(string(pane.Agent.Kind), "a shell"))
	err.Hint = "Rules work for " + strings.Join(can, ", ") + " with hooks, and for agents by protocol."
	return err
}

// writeRules writes the rules of an agent to its pane.
func (s *Sender) writeRules(ctx context.Context, pane core.PaneID, rules []core.Rule) error {
	return s.opts.Engine.Tag(ctx, engine.Tag{Pane: pane, Name: engine.TagRules, Value: panetag.EncodeRules(rules)})
}

// recordRule journals that a rule was made or ended.
func (s *Sender) recordRule(ctx context.Context, pane *core.Pane, act core.Act, allow, origin string) {
	if s.opts.Journal == nil {
		return
	}
	origin = cmp.Or(origin, core.OriginAnswer)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalWithin)
	defer cancel()
	err := s.opts.Journal.Answered(ctx, core.Decision{
		PaneRef: pane.Ref(), At: s.opts.Now(), Origin: origin, By: s.caller(), Act: act, Text: allow,
		Outcome: core.Resolved,
	})
	if err != nil {
		s.opts.Log.Warn("a rule could not be recorded", "pane", pane.Address(), "error", err)
	}
}

// ErrNoRule means that no rule approves what an agent asks. The error that wraps it says why.
var ErrNoRule = errors.New("no rule approves it")

// noRule returns an error that says why no rule approves what the agent asks.
func (r *answerer) noRule(format string, args ...any) error {
	err := r.newError(core.Conflict, "no rule approves it: "+format, args...)
	err.Err = ErrNoRule
	return err
}

// useRule counts a use of the rule that approves what the agent asks, before a key is pressed: what is cut off then was
// used. The command comes from the request by protocol, or from the agent's hook, and never from the screen alone. The
// dialog must show that command, with what the agent says about it, and nothing else.
func (r *answerer) useRule(ctx context.Context, dialog *agent.OpenDialog, ask *acp.Ask) error {
	rules, i, command, err := r.ruleFor(ctx, dialog, ask)
	if err != nil || r.request.DryRun {
		return err
	}
	rule := &rules[i]
	rule.Uses++
	rule.UsedAt, rule.Ran = r.sender.opts.Now(), command
	if err := r.sender.writeRules(ctx, r.term.Pane.ID, rules); err != nil {
		return err
	}
	r.rule = rule.Allow
	r.note("the rule %q approves it, use %s", rule.Allow, rule.Words())
	return nil
}

// ruleFor returns the rules of the agent, the index of the one that approves what it asks, and the command.
func (r *answerer) ruleFor(ctx context.Context, dialog *agent.OpenDialog, ask *acp.Ask) (rules []core.Rule, i int,
	command string, err error,
) {
	row, err := r.term.Row(ctx)
	if err != nil {
		return nil, 0, "", err
	}
	rules = panetag.DecodeRules(row.Tags[engine.TagRules])
	if command, err = r.asksToRun(row, dialog, ask); err != nil {
		return rules, 0, command, err
	}
	i = slices.IndexFunc(rules, func(rule core.Rule) bool {
		return rule.Fits(command) && rule.Holds(r.sender.opts.Now())
	})
	if i < 0 {
		return rules, 0, command, r.noRule("none of its rules is for %q", core.Excerpt(command))
	}
	return rules, i, command, nil
}

// asksToRun returns the command that the agent asks to run, if that is known exactly and is all that it asks.
func (r *answerer) asksToRun(row *engine.Pane, dialog *agent.OpenDialog, ask *acp.Ask) (string, error) {
	if ask != nil {
		if !ask.Call.Exact || len(ask.Call.Paths) > 0 || len(ask.Call.Diffs) > 0 {
			return "", r.noRule("it asks for more than to run one command")
		}
		return ask.Call.Command, nil
	}
	hook := panetag.DecodeHook(row.Tags[engine.TagHook])
	own := r.term.Pane.Agent
	switch {
	case hook == nil || hook.State != core.Waiting || hook.Command == "":
		return "", r.noRule("no hook of the agent says which command it asks to run, and a screen alone proves none")
	case hook.Kind != own.Kind || hook.PID == 0 || hook.At.Before(own.Started):
		return "", r.noRule("the hook that says what it asks to run is not known to be of this agent")
	case !dialog.ShowsOnly(hook.Command, hook.Description):
		return "", r.noRule("its dialog shows more, or something else, than the command %q", core.Excerpt(hook.Command))
	}
	return hook.Command, nil
}

// noteRule says of a dialog that is only looked at which command it is about, and whether a rule would approve it.
func (r *answerer) noteRule(ctx context.Context, dialog *agent.OpenDialog, ask *acp.Ask) {
	rules, i, command, err := r.ruleFor(ctx, dialog, ask)
	r.answer.AsksToRun = command
	if len(r.term.Pane.Agent.LiveRules(r.sender.opts.Now())) == 0 {
		return
	}
	if err == nil {
		r.note("the rule %q approves it", rules[i].Allow)
		return
	}
	_, why, _ := strings.Cut(err.Error(), ": ")
	r.note("%s", why)
}
