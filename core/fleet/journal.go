package fleet

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
)

// Journal keeps what must outlive this process: the prompts that were sent, what
// happened, and the alerts. It belongs to one engine, and its methods may be
// called concurrently. A journal that fails stops nothing that it would have
// recorded.
type Journal interface {
	// Sending records a prompt before any of it is typed. Until Sent tells more,
	// what became of it at each of its panes is open.
	Sending(ctx context.Context, prompt Prompt) error
	// Sent records what became of a prompt at some of its panes, or at all.
	Sent(ctx context.Context, id string, deliveries []Delivery) error
	// Unfinished returns the prompts of which nobody said what became of them at a
	// pane, the newest first: they go on, or their process ended before it could say.
	Unfinished(ctx context.Context, pane PaneRef) ([]Prompt, error)
	// Asked returns the prompts that a pane took since a time, the newest first.
	Asked(ctx context.Context, pane PaneRef, since time.Time) ([]string, error)
	// Unconfirmed returns the prompts of which nobody saw whether a pane took them, since a
	// time, the newest first.
	Unconfirmed(ctx context.Context, pane PaneRef, since time.Time) ([]string, error)
	// Newest returns the newest prompt that each pane took since a time.
	Newest(ctx context.Context, since time.Time) (map[core.PaneID]Taken, error)
	// Answered records an answer that was given to a dialog.
	Answered(ctx context.Context, decision Decision) error
	// Happened records events, all or none. Those that it has are not recorded
	// twice.
	Happened(ctx context.Context, events []core.Event) error
	// Alerts returns the alerts on record, the ended ones too so far as they are
	// kept, in the order of their ids.
	Alerts(ctx context.Context) ([]core.Alert, error)
	// SaveAlerts records alerts, each in place of the one with its id. One that
	// was dismissed meanwhile stays so until its count grows.
	SaveAlerts(ctx context.Context, alerts []core.Alert) error
}

// Where a prompt came from, as Prompt.Origin says it. Faces may use words of
// their own, such as "dashboard".
const (
	OriginSend      = "send"
	OriginFirst     = "first-prompt"
	OriginInterrupt = "interrupt"
	OriginAnswer    = "answer"
)

// Prompt is a text on its way to panes.
type Prompt struct {
	// ID names the send; ids sort by time.
	ID string
	At time.Time
	// Origin says which act or face it came from.
	Origin string
	Text   string
	// Tracked is true if its sender wants to hear when it is taken up.
	Tracked bool
	// Panes are all that it goes to, in the order of the answer.
	Panes []PaneRef
}

// Decision is an answer that was given to a dialog.
type Decision struct {
	PaneRef
	At time.Time
	// Origin says which act or face it came from, By in which pane it was
	// given, as SESSION/NAME; empty for panes that Cupola did not make.
	Origin string
	By     string
	// Reason is what the dialog asked for, Asks what it asked about.
	Reason core.Reason
	Asks   string
	// Act is how it was answered, Chosen the label of the option that was taken, Text
	// the words that were given.
	Act    Act
	Chosen string
	Text   string
	// Outcome is resolved, asked_again where another dialog came, or unconfirmed.
	Outcome string
}

// The outcomes of decisions.
const (
	DecisionResolved    = "resolved"
	DecisionAskedAgain  = "asked_again"
	DecisionUnconfirmed = "unconfirmed"
)

// journalWithin is how long a prompt may wait for its record.
const journalWithin = 3 * time.Second

// KindIDs returns the ids of agent kinds by their ids or short names; none for
// none. It returns AgentNotFound for a name that no kind has.
func (f *lookout) KindIDs(names []string) ([]core.Kind, error) {
	kinds, err := f.kindsNamed(names)
	if err != nil {
		return nil, translate("kinds", err)
	}
	ids := make([]core.Kind, len(kinds))
	for i, kind := range kinds {
		ids[i] = kind.ID
	}
	return ids, nil
}

// entry is the record of one prompt. Without a journal it records nothing.
type entry struct {
	id  string
	log *slog.Logger

	mu      sync.Mutex
	journal Journal
	trouble error
}

// begin begins the record of a prompt, whose time and missing id it sets, before
// anything is typed. Of a dry run, of which keep is false, nothing is kept.
func begin(ctx context.Context, f *Fleet, keep bool, prompt *Prompt) *entry {
	prompt.At = f.now()
	if prompt.ID == "" {
		prompt.ID = NewPromptID(prompt.At)
	}
	e := &entry{id: prompt.ID, log: f.log}
	if !keep || f.journal == nil {
		return e
	}
	e.journal = f.journal
	ctx, cancel := context.WithTimeout(ctx, journalWithin)
	defer cancel()
	if err := e.journal.Sending(ctx, *prompt); err != nil {
		e.fail(err)
	}
	return e
}

// ended records what became of the prompt at a pane, also where ctx has ended.
func (e *entry) ended(ctx context.Context, d Delivery) {
	e.mu.Lock()
	journal := e.journal
	e.mu.Unlock()
	if journal == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalWithin)
	defer cancel()
	if err := journal.Sent(ctx, e.id, []Delivery{d}); err != nil {
		e.fail(err)
	}
}

// fail gives up a record: one that is half written stays open.
func (e *entry) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trouble == nil {
		e.trouble = err
		e.log.Warn("a prompt could not be recorded", "id", e.id, "error", err)
	}
	e.journal = nil
}

// unrecorded says why the record is not whole; empty if it is.
func (e *entry) unrecorded() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trouble == nil {
		return ""
	}
	return "the history lacks this prompt or its end: " + e.trouble.Error()
}

// deliverRecorded delivers an order to one pane, as a prompt of its own.
func (f *Fleet) deliverRecorded(ctx context.Context, pane *core.Pane, order order, origin string) Delivery {
	e := begin(ctx, f, !order.dryRun, &Prompt{Origin: origin, Text: order.text, Panes: []PaneRef{Ref(pane)}})
	order.id = e.id
	d := f.deliver(ctx, pane, order)
	e.ended(ctx, d)
	f.unconfirmed(ctx, pane, &d)
	return d
}

// refs are the references of panes.
func refs(panes []*core.Pane) []PaneRef {
	all := make([]PaneRef, len(panes))
	for i, pane := range panes {
		all[i] = Ref(pane)
	}
	return all
}
