package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/system/process"
)

// caller returns the pane in which this program was started, as SESSION/NAME; empty if Cupola did
// not make it.
func (s *Sender) caller() string {
	environ := s.opts.Environ
	session, name := process.Variable(environ, "CUPOLA_SESSION"), process.Variable(environ, "CUPOLA_PANE_NAME")
	if session == "" || name == "" {
		return ""
	}
	return session + "/" + name
}

// journalWithin is how long a prompt may wait for its record.
const journalWithin = 3 * time.Second

// Record is the journal record of one prompt. Without a journal it records nothing.
type Record struct {
	// ID names the prompt.
	ID  string
	now func() time.Time
	log *slog.Logger

	mu      sync.Mutex
	journal Journal
	trouble error
}

// Begin starts the record of a prompt before anything is typed. It sets the prompt's time, and its id if it
// has none. With keep false, for dry runs, nothing is recorded.
func (s *Sender) Begin(ctx context.Context, keep bool, prompt *core.Prompt) *Record {
	prompt.At = s.opts.Now()
	if prompt.ID == "" {
		prompt.ID = core.NewPromptID(prompt.At)
	}
	r := &Record{ID: prompt.ID, now: s.opts.Now, log: s.opts.Log}
	if !keep || s.opts.Journal == nil {
		return r
	}
	r.journal = s.opts.Journal
	ctx, cancel := context.WithTimeout(ctx, journalWithin)
	defer cancel()
	if err := r.journal.Sending(ctx, *prompt); err != nil {
		r.fail(err)
	}
	return r
}

// Ended records the outcome of the prompt at a pane, with the time, even after ctx has ended.
func (r *Record) Ended(ctx context.Context, d *core.Delivery) {
	r.mu.Lock()
	journal := r.journal
	r.mu.Unlock()
	if journal == nil {
		return
	}
	d.At = r.now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalWithin)
	defer cancel()
	if err := journal.Sent(ctx, r.ID, []core.Delivery{*d}); err != nil {
		r.fail(err)
	}
}

// fail gives up a record: an incomplete one stays open.
func (r *Record) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trouble == nil {
		r.trouble = err
		r.log.Warn("a prompt could not be recorded", "id", r.ID, "error", err)
	}
	r.journal = nil
}

// unrecorded says why the record is incomplete; empty if it is complete.
func (r *Record) unrecorded() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trouble == nil {
		return ""
	}
	return "the history lacks this prompt or its end: " + r.trouble.Error()
}

// deliverRecorded delivers an order to one pane, as a prompt of its own.
func (s *Sender) deliverRecorded(ctx context.Context, pane *core.Pane, order order, origin string) core.Delivery {
	r := s.Begin(ctx, !order.dryRun, core.NewPrompt(origin, order.text, pane.Ref()))
	order.id = r.ID
	d := s.deliver(ctx, pane, order)
	r.Ended(ctx, &d)
	s.opts.Announcer.Delivered(ctx, pane, &d)
	return d
}
