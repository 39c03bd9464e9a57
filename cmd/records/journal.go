package records

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// File is the store of one process, which is opened once to read and once to write, each when it is first needed.
type File struct {
	// Path is the path of the store's file.
	Path string
	// Options are the options of the store.
	Options store.Options

	mu               sync.Mutex
	reading, writing *store.Store
}

// Reading returns the store to read from. It makes no file.
func (f *File) Reading(ctx context.Context) (_ *store.Store, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writing != nil {
		return f.writing, nil
	}
	if f.reading == nil {
		f.reading, err = store.OpenReadOnly(ctx, f.Path, f.Options)
	}
	return f.reading, err
}

// Writing returns the store to write to, and makes the file if it is missing.
func (f *File) Writing(ctx context.Context) (_ *store.Store, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writing == nil {
		f.writing, err = store.Open(ctx, f.Path, f.Options)
	}
	return f.writing, err
}

// Close closes the store if it was opened.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, opened := range []*store.Store{f.reading, f.writing} {
		if opened != nil {
			errs = append(errs, opened.Close())
		}
	}
	return errors.Join(errs...)
}

// Journal implements fleet.Journal with the store. The first record opens the file, and
// creates it if it is missing.
type Journal struct {
	File *File
	// Server is the path of the engine's socket.
	Server string

	once sync.Once
}

// kept warns, once, that a prompt could not be recorded. A cancelled call makes no warning.
func (j *Journal) kept(err error) error {
	if err != nil && !core.AsError(err).HasCode(core.Cancelled) {
		j.once.Do(func() { j.File.Options.Warn("the history is not complete: " + err.Error()) })
	}
	return err
}

// record saves in the store what belongs to the history, and warns if that fails.
func (j *Journal) record(ctx context.Context, save func(*store.Store) error) error {
	s, err := j.File.Writing(ctx)
	if err == nil {
		err = save(s)
	}
	return j.kept(err)
}

// Sending records a prompt before it is typed.
func (j *Journal) Sending(ctx context.Context, p core.Prompt) error {
	p.Server = j.Server
	return j.record(ctx, func(s *store.Store) error { return store.PromptsIn(s).Save(ctx, p) })
}

// Sent records the outcome of a prompt.
func (j *Journal) Sent(ctx context.Context, id string, deliveries []core.Delivery) error {
	return j.record(ctx, func(s *store.Store) error { return store.PromptsIn(s).SaveDeliveries(ctx, id, deliveries) })
}

// Queued returns the prompts that wait until their agents are idle. It makes no file.
func (j *Journal) Queued(ctx context.Context) ([]core.QueuedPrompt, error) {
	s, err := j.File.Reading(ctx)
	if err != nil {
		return nil, err
	}
	return store.QueueIn(s).All(ctx, j.Server)
}

// ChangeQueue changes the prompts that wait for one agent.
func (j *Journal) ChangeQueue(ctx context.Context, owner string,
	change func([]core.QueuedPrompt) ([]core.QueuedPrompt, error),
) error {
	s, err := j.File.Writing(ctx)
	if err != nil {
		return err
	}
	return store.QueueIn(s).Change(ctx, j.Server, owner, change)
}

// Recorded returns a prompt of the history; false if it is not there. It makes no file.
func (j *Journal) Recorded(ctx context.Context, id string) (core.Prompt, bool, error) {
	found, err := j.prompts(ctx, store.PromptQuery{ID: id, Limit: 1})
	if err != nil || len(found) == 0 {
		return core.Prompt{}, false, err
	}
	return found[0], true, nil
}

// Answered records an answer to a dialog.
func (j *Journal) Answered(ctx context.Context, d core.Decision) error {
	d.Server = j.Server
	return j.record(ctx, func(s *store.Store) error { return store.DecisionsIn(s).Save(ctx, d) })
}

// prompts returns those to this server that a query finds. It makes no file.
func (j *Journal) prompts(ctx context.Context, query store.PromptQuery) ([]core.Prompt, error) {
	s, err := j.File.Reading(ctx)
	if err != nil {
		return nil, err
	}
	query.Server = j.Server
	page, err := store.PromptsIn(s).Find(ctx, query)
	return page.Prompts, err
}

// mostUnfinished is the most unfinished prompts that are read.
const mostUnfinished = 20

// Unfinished returns the prompts that are open at a pane. It makes no file.
func (j *Journal) Unfinished(ctx context.Context, pane core.PaneRef) ([]core.Prompt, error) {
	return j.prompts(ctx, store.PromptQuery{OpenAt: pane.Pane, Limit: mostUnfinished})
}

// mostAsked is the most prompts that are compared with an agent's sessions.
const mostAsked = 20

// Asked returns what a pane took since a time. It makes no file.
func (j *Journal) Asked(ctx context.Context, pane core.PaneRef, since time.Time) ([]core.TakenPrompt, error) {
	found, err := j.at(ctx, pane, since)
	var taken []core.TakenPrompt
	for i := range found {
		if d := &found[i].Deliveries[0]; d.Outcome.Taken() {
			taken = append(taken, core.TakenPrompt{
				ID: found[i].ID, Text: found[i].Text, Sent: found[i].At, At: d.At,
			})
		}
	}
	return taken, err
}

// Unconfirmed returns the prompts that may remain in a pane, of those since a time and since the pane last took one.
// It makes no file.
func (j *Journal) Unconfirmed(ctx context.Context, pane core.PaneRef, since time.Time) ([]string, error) {
	found, err := j.at(ctx, pane, since)
	var texts []string
	for i := range found {
		if found[i].Deliveries[0].Outcome.Taken() {
			break
		}
		if found[i].Deliveries[0].MayRemain() {
			texts = append(texts, found[i].Text)
		}
	}
	return texts, err
}

// at returns the prompts to a pane since a time, the newest first, each with its delivery there alone.
func (j *Journal) at(ctx context.Context, pane core.PaneRef, since time.Time) ([]core.Prompt, error) {
	found, err := j.prompts(ctx, store.PromptQuery{Panes: []string{string(pane.Pane)}, Since: since, Limit: mostAsked})
	for i := range found {
		found[i].Deliveries = slices.DeleteFunc(found[i].Deliveries,
			func(d core.Delivery) bool { return d.Pane != pane.Pane })
	}
	return slices.DeleteFunc(found, func(p core.Prompt) bool { return len(p.Deliveries) == 0 }), err
}

// Newest returns what panes took last. It makes no file.
func (j *Journal) Newest(ctx context.Context, since time.Time) (map[core.PaneID]core.TakenPrompt, error) {
	found, err := j.prompts(ctx, store.PromptQuery{Since: since})
	newest := map[core.PaneID]core.TakenPrompt{}
	for i := range found {
		p := &found[i]
		for _, d := range p.Deliveries {
			if p.At.After(newest[d.Pane].Sent) && d.Outcome.Taken() {
				newest[d.Pane] = core.TakenPrompt{ID: p.ID, Text: p.Text, Sent: p.At, At: d.At}
			}
		}
	}
	return newest, err
}

// Happened records events.
func (j *Journal) Happened(ctx context.Context, events []core.Event) error {
	s, err := j.File.Writing(ctx)
	if err != nil {
		return err
	}
	return store.EventsIn(s).Save(ctx, j.Server, events)
}

// Alerts returns the alerts on record. It makes no file.
func (j *Journal) Alerts(ctx context.Context) ([]core.Alert, error) {
	s, err := j.File.Reading(ctx)
	if err != nil {
		return nil, err
	}
	return store.AlertsIn(s).Find(ctx, store.AlertQuery{Server: j.Server})
}

// SaveAlerts records alerts.
func (j *Journal) SaveAlerts(ctx context.Context, alerts []core.Alert) error {
	s, err := j.File.Writing(ctx)
	if err != nil {
		return err
	}
	return store.AlertsIn(s).Save(ctx, j.Server, alerts)
}
