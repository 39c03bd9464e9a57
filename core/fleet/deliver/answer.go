package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// AnswerRequest asks to answer the dialogs of waiting agents.
type AnswerRequest struct {
	Target resolve.Target
	Act    core.Act
	// N is the option for Choose, Text the text for Say.
	N    int
	Text string
	// Expect is the required reason of the dialog; empty is any.
	Expect core.Reason
	// Showing must occur in the dialog; case and blanks are ignored.
	Showing string
	// Dialog is the id that the dialog must have; empty is any.
	Dialog string
	// OverrideBudget sends text that the dialog has no field for even over a ceiling.
	OverrideBudget bool
	// ByRule approves only what a rule of the agent approves; the error is ErrNoRule otherwise.
	ByRule bool
	// Every answers all waiting agents; without it there must be exactly one.
	Every  bool
	DryRun bool
	// Origin is the origin of the answer in the journal; empty is OriginAnswer.
	Origin string
	// Timeout is how long to wait for the dialog to close; 0 is 10 s.
	Timeout time.Duration
}

// Answered is the result at one pane.
type Answered struct {
	core.PaneRef
	Dialogue
	Before core.Status
	After  core.Status
	// Delivery is the outcome of text sent as a prompt.
	Delivery *core.Delivery
}

// Dialogue is a dialog with its answer.
type Dialogue struct {
	// Dialog is the id of the dialog. Another pane's has another one, also if it asks the same.
	Dialog string `json:"dialog_id,omitempty"`
	// Asks summarises the dialog in one line, Asked is all text above its options, Options are the options.
	Asks    string         `json:"asks,omitempty"`
	Asked   []string       `json:"asked"`
	Options []agent.Option `json:"options"`
	// AsksToRun is the command that the agent asks to run, and nothing else; empty if its hook or protocol does not
	// prove that. A rule for it would approve the dialog.
	AsksToRun string `json:"asks_to_run,omitempty"`
	// Chosen is the label of the selected option; empty if none was.
	Chosen string `json:"chosen,omitempty"`
	// Keys were pressed, or would be in a dry run. Typed text appears among them as "<text>".
	Keys []string `json:"keys"`
	// Resolved is true once no dialog is open.
	Resolved bool `json:"resolved"`
	// Next is the text of the following dialog; empty if there is none.
	Next     []string `json:"next"`
	Evidence []string `json:"evidence"`
}

// Answer answers the dialog of a waiting agent after seeing it twice and checking it against the request, and
// waits until it closes. It returns NotReady if no agent waits or the selection is unknown, Conflict if the
// dialog is not the expected one or has no such answer, and Timeout if it stays open; the answers are
// returned beside these errors.
func (s *Sender) Answer(ctx context.Context, request AnswerRequest) ([]Answered, error) {
	answers, err := s.answerAll(ctx, &request)
	return answers, fault.Wrap("answer", err)
}

func (s *Sender) answerAll(ctx context.Context, request *AnswerRequest) ([]Answered, error) {
	if err := request.check(); err != nil {
		return nil, err
	}
	seen, err := s.opts.Observer.Select(ctx, observe.View{}, s.opts.Resolver.Selector(request.Target))
	if err != nil {
		return nil, err
	}
	panes, err := request.waiting(seen.Panes)
	if err != nil {
		return nil, err
	}
	answers := make([]Answered, len(panes))
	errs := make([]error, len(panes))
	parallel.Each(panes, nil, "answer", func(i int, pane *core.Pane) {
		r := &answerer{term: terminal.New(s.opts.Engine, s.opts.Observer, pane), sender: s, request: request}
		r.answer.PaneRef = pane.Ref()
		errs[i] = r.run(ctx)
		answers[i] = r.answer
	})
	var deliveries []core.Delivery
	for i := range answers {
		if errs[i] != nil {
			return answers, errs[i]
		}
		if answers[i].Delivery != nil {
			deliveries = append(deliveries, *answers[i].Delivery)
		}
	}
	return answers, undeliveredError(deliveries)
}

func (a *AnswerRequest) check() error {
	switch a.Act {
	case core.ActLook:
		a.DryRun = true
	case core.ActApprove, core.ActDeny:
	case core.ActChoose:
		if a.N < 1 {
			return core.Errorf(core.InvalidInput, "options are counted from 1, not %d", a.N)
		}
	case core.ActSay:
		text, err := PrepareText(a.Text)
		if err != nil {
			return err
		}
		a.Text = text
	default:
		return core.Errorf(core.InvalidInput, "there is no answer %q", a.Act)
	}
	return nil
}

// waiting returns the panes to answer: the named one, or those of several that wait.
func (a *AnswerRequest) waiting(panes []*core.Pane) ([]*core.Pane, error) {
	if len(panes) == 1 {
		return panes, nil
	}
	var waiting []*core.Pane
	for _, pane := range panes {
		if pane.Status.State == core.Waiting {
			waiting = append(waiting, pane)
		}
	}
	switch {
	case len(waiting) == 0:
		return nil, core.Errorf(core.NotReady, "no agent is waiting for an answer (of %d)", len(panes))
	case len(waiting) > 1 && !a.Every:
		return nil, severalWaitError(waiting)
	}
	return waiting, nil
}

// asking is a waiting agent and its question.
type asking struct {
	Address string `json:"address"`
	Agent   string `json:"agent"`
	Reason  string `json:"reason"`
	Asks    string `json:"asks"`
}

// severalWaitError reports an answer that could be meant for several agents: it lists their questions, and
// how to inspect each.
func severalWaitError(waiting []*core.Pane) error {
	var names []string
	needs := make([]asking, 0, len(waiting))
	for _, pane := range waiting {
		s := pane.Status
		names = append(names, pane.Address())
		needs = append(needs, asking{
			Address: pane.Address(), Agent: pane.Agent.Name, Reason: string(s.Reason),
			Asks: s.Asks,
		})
	}
	err := core.Errorf(core.Ambiguous, "%d agents are waiting for an answer: %s", len(waiting),
		strings.Join(names, ", "))
	err.Remedies = []core.Remedy{core.RemedyAnswerSingly, core.RemedyShowDialog}
	err.Suggestions, err.Subject.Panes, err.Details = names, names, map[string][]asking{"needs": needs}
	return err
}

// answerer answers one pane.
type answerer struct {
	term    *terminal.Terminal
	sender  *Sender
	request *AnswerRequest
	answer  Answered
	// open is true once a dialog was seen, pressed once keys were pressed.
	open, pressed bool
	// stranded is true if a denial leaves a queued prompt pending.
	stranded bool
	// prompt is the text to send after the dialog has closed.
	prompt   string
	approval Approval
	// rule is the command of the rule that approved; empty for none.
	rule string
}

// run answers the dialog, and then sends the text that the dialog had no field for.
func (r *answerer) run(ctx context.Context) error {
	err := r.resolve(ctx)
	r.record(ctx, err)
	var no terminal.Refusal
	switch {
	case errors.As(err, &no):
		return r.newError(core.NotReady, "%s", no.Evidence)
	case errors.Is(err, engine.ErrDead):
		return r.newError(core.NotReady, "the program has ended")
	case err != nil || r.prompt == "" || r.request.DryRun:
		return err
	}
	d := r.sender.deliverRecorded(ctx, r.term.Pane, order{
		text: r.prompt, approval: r.approval, lockTimeout: r.request.Timeout,
	}, core.OriginAnswer)
	r.answer.Delivery = &d
	return nil
}

// record journals an answer for which keys were pressed.
func (r *answerer) record(ctx context.Context, failed error) {
	if r.sender.opts.Journal == nil || r.request.DryRun || !r.pressed {
		return
	}
	a := &r.answer
	d := core.Decision{
		PaneRef: a.PaneRef, At: r.sender.opts.Now(), Origin: r.request.Origin, By: r.sender.caller(),
		Reason: a.Before.Reason, Asks: a.Asks, Act: r.request.Act, Chosen: a.Chosen,
		Text: cmp.Or(r.rule, r.request.Text), Outcome: core.Resolved,
	}
	d.Origin = cmp.Or(d.Origin, core.OriginAnswer)
	switch {
	case failed != nil:
		d.Outcome = core.Unconfirmed
	case !a.Resolved:
		d.Outcome = core.AskedAgain
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalWithin)
	defer cancel()
	if err := r.sender.opts.Journal.Answered(ctx, d); err != nil {
		r.sender.opts.Log.Warn("an answer could not be recorded", "pane", r.term.Pane.Address(), "error", err)
		r.note("the answer could not be recorded: %v", err)
	}
}

// resolve performs everything that needs the pane's lock.
func (r *answerer) resolve(ctx context.Context) error {
	if path := r.sender.spoken(ctx, r.term.Pane); path != "" {
		return r.reply(ctx, path)
	}
	held, err := r.sender.opts.Dir.LockPane(ctx, r.term.Pane, cmp.Or(max(r.request.Timeout, 0), answerWait))
	if err != nil {
		return err
	}
	defer held.Release()
	if held.Note != "" {
		r.note("%s", held.Note)
	}
	dialog, err := r.first(ctx)
	if err != nil {
		return err
	}
	if r.request.DryRun {
		r.noteRule(ctx, dialog, nil)
	}
	if r.request.Act == core.ActLook {
		return nil
	}
	step, err := r.choose(dialog)
	if err == nil && r.prompt != "" {
		r.approval, err = r.sender.MaySpend(ctx, r.request.OverrideBudget, sessionsOfAgents(r.term.Pane))
	}
	if err != nil || r.request.DryRun {
		return err
	}
	again, err := r.captureDialog(ctx)
	if err != nil {
		return err
	}
	if again == nil || !again.Same(dialog) {
		return r.newError(core.Conflict, "the dialog changed before a key was pressed; nothing was")
	}
	if r.request.ByRule {
		if err := r.useRule(ctx, again, nil); err != nil {
			return err
		}
	}
	ctx, cancel := lingering(ctx)
	defer cancel()
	r.answer.Keys = nil
	return r.act(ctx, again, step)
}

// newError returns an error that names the pane and how to inspect it.
func (r *answerer) newError(code core.Code, format string, args ...any) *core.Error {
	err := core.Errorf(code, "%s: %s", r.term.Pane.Address(), fmt.Sprintf(format, args...))
	err.Remedies, err.Subject.Panes = []core.Remedy{core.RemedyShowPane}, []string{r.term.Pane.Address()}
	if r.open {
		err.Remedies = []core.Remedy{core.RemedyShowDialog, core.RemedyShowPane}
	}
	return err
}

func (r *answerer) note(format string, args ...any) {
	r.answer.Evidence = append(r.answer.Evidence, fmt.Sprintf(format, args...))
}
