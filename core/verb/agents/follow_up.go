package agents

import (
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// afterSending suggests what to do once a prompt was delivered: wait unless that
// was done, read the reply, and look at the screen.
func afterSending(out *SendOut) []registry.Action {
	var took, all []core.PaneRef
	for _, d := range out.Deliveries {
		all = append(all, d.PaneRef)
		if d.Kind.IsAgent() && !d.Outcome.Failed() && d.Outcome != core.Typed {
			took = append(took, d.PaneRef)
		}
	}
	agents := verb.Places(took)
	var actions []registry.Action
	if out.Wait == nil {
		actions = verb.Suggest(agents, "wait", "Wait until the work is done")
	}
	actions = append(actions, verb.Suggest(agents, "reply", "Read the last message")...)
	return append(actions, verb.Suggest(verb.Places(all), "tail", "See the screen")...)
}

// afterWaiting suggests to look at those that need the user and to decide what the
// first of them asks, and to read the reply of those who are idle.
func afterWaiting(out *waitedFor) []registry.Action {
	var actions []registry.Action
	for i, need := range out.Needs {
		actions = append(actions,
			registry.Action{Action: verb.ActionLook, Description: need.says(), Command: need.Command})
		if i == 0 {
			actions = append(actions, DialogAnswers(need.Address(), need.Reason, need.Asks)...)
		}
	}
	return append(actions, verb.Suggest(verb.Places(out.idle()), "reply", "Read the last message")...)
}

// DialogAnswers are the two answers to what an agent asks, each for that alone; none
// where yes and no do not answer it.
func DialogAnswers(at string, reason core.Reason, asks string) []registry.Action {
	if asks == "" || reason != core.ReasonApproval && reason != core.ReasonPlan && reason != core.ReasonTrust {
		return nil
	}
	return []registry.Action{
		{
			Action: "approve", Description: "Say yes to it, this once",
			Command: answerLine(at, reason, asks, "--approve"),
		},
		{Action: "deny", Description: "Say no to it", Command: answerLine(at, reason, asks, "--deny")},
	}
}

// idle are the agents that have become idle, as was waited for.
func (o *waitedFor) idle() []core.PaneRef {
	var panes []core.PaneRef
	for i := range o.Panes {
		if row := &o.Panes[i]; row.Reached && row.State == core.Idle && row.Kind.IsAgent() && !row.Gone {
			panes = append(panes, row.PaneRef)
		}
	}
	return panes
}

// longer is how long to wait after a wait that ended with an error: twice as long
// where its time was up.
func longer(err error, timeout time.Duration) time.Duration {
	if core.AsError(err).HasCode(core.Timeout) {
		return 2 * timeout
	}
	return timeout
}

// ended puts into the error of a wait that ended early the answer as far as it
// came, and what would help: what needs the user first, then to wait on as again
// says.
func (o *waitedFor) ended(err error, answer any, again func(pending []string) []string) error {
	ended := new(core.Error)
	if !errors.As(err, &ended) || ended.Code != core.NotReady && ended.Code != core.Timeout {
		return err
	}
	ended.Details = answer
	var actions []string
	var pending, commands []core.PaneRef
	for _, action := range afterWaiting(o) {
		actions = append(actions, action.Command)
	}
	for i := range o.Panes {
		row := &o.Panes[i]
		if row.Reached || row.Gone || row.State == core.Exited {
			continue
		}
		pending = append(pending, row.PaneRef)
		if row.Kind == core.KindCommand && row.State == core.Unknown {
			commands = append(commands, row.PaneRef)
		}
	}
	switch {
	case len(commands) > 0:
		ended.Hint = "When a command rests cannot be known: wait for its end with --for=exited, or for what it " +
			"prints with --match."
		for _, place := range verb.Places(commands)[:min(verb.MostPlaces, len(commands))] {
			actions = append(actions, shell.Line("cupola", "wait", place, "--for="+string(core.Exited)))
		}
	case len(pending) > 0:
		actions = append(actions, again(verb.Places(pending))...)
	}
	for _, action := range verb.Suggest(verb.Places(pending), "tail", "") {
		actions = append(actions, action.Command)
	}
	if len(actions) > 0 {
		ended.Actions, ended.Remedies = actions, nil
	}
	if len(o.Needs) > 0 {
		ended.Hint = o.decide() + " Then wait again."
	}
	return err
}

// decide says what to do about those that need the user.
func (o *waitedFor) decide() string {
	if slices.ContainsFunc(o.Needs, func(need waitNeed) bool { return need.State == core.Waiting }) {
		return "An agent waits for a decision: see in 'details' what it asks, look closer with the first action if " +
			"need be, and answer yes or no."
	}
	return "An agent needs you: see in 'details' why, and look at it with the first action."
}
