package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay/stream"
)

// Defaults are the values of a request that gives none.
type Defaults struct {
	Backend string
	// Doubt is why Backend may not be the one that the user chose; nil if there is no doubt.
	Doubt   error
	Sandbox Sandbox
	// Dir is the directory that a new conversation or a single relay is about.
	Dir string
}

// Runner asks backends and keeps what became of it: each relay is on record before it begins.
type Runner struct {
	Relay     *Relay
	Directory Directory
	Labels    Labels
	Defaults  Defaults
	// Afford returns an error if nothing more may be spent; nil sets no limit. It is called right
	// before a backend is asked.
	Afford func(context.Context) error
	// Price returns what tokens of a model cost in USD; false where no price is known.
	Price func(model string, usage *stream.Usage) (float64, bool)
	// Log takes what could not be recorded; nil discards it.
	Log *slog.Logger
	// waits, if not nil, gets the time until which a relay waits for the end of a usage limit; the zero time once it
	// waits no more.
	waits func(until time.Time)
}

// Plan says what a request will do, with its conversation and the defaults. It records nothing.
func (r *Runner) Plan(ctx context.Context, request Request) (*Plan, error) {
	var turns []Turn
	if request.Label != "" {
		conversation, err := r.Labels.Find(request.Label)
		if err != nil {
			return nil, err
		}
		request.Keep = true
		if conversation != nil {
			if request.Backend != "" {
				backend, err := r.Relay.Backends.Find(request.Backend)
				if err != nil {
					return nil, err
				}
				request.Backend = backend.ID
			}
			if err := conversation.continues(&request, r.Relay.Backends.resumes); err != nil {
				return nil, err
			}
			turns = conversation.Turns
		}
	}
	if request.Backend == "" && r.Defaults.Doubt != nil {
		return nil, r.Defaults.Doubt
	}
	request.Backend = cmp.Or(request.Backend, r.Defaults.Backend)
	request.Sandbox = request.Sandbox.Or(r.Defaults.Sandbox)
	request.Dir = cmp.Or(request.Dir, r.Defaults.Dir)
	plan, err := r.Relay.Plan(ctx, &request)
	if err != nil {
		return nil, err
	}
	request.Session, request.Before, request.History = "", nil, turns
	return plan, r.planOthers(ctx, plan, request)
}

// planOthers adds to a plan the plans for the backends that it falls back to. The last turns of a conversation are in
// the request.
func (r *Runner) planOthers(ctx context.Context, plan *Plan, request Request) error {
	plan.Limits = request.Limits
	if plan.Limits.OnLimit != run.SwitchBackend {
		return nil
	}
	request.Model = ""
	for _, request.Backend = range plan.Limits.Fallback {
		other, err := r.Relay.Plan(ctx, &request)
		if err != nil {
			return err
		}
		plan.Others = append(plan.Others, other)
	}
	return nil
}

// Ask puts a plan on record and carries it out. Emit, if not nil, gets the events as Relay.Run
// gives them. The record is nil only if none could be made.
func (r *Runner) Ask(ctx context.Context, p *Plan, asked string, emit func(Event)) (*Record, error) {
	if err := r.afford(ctx); err != nil {
		return nil, err
	}
	record, err := r.Directory.New(ctx, p, asked, r.Relay.now())
	if err != nil {
		return nil, err
	}
	if p.Members != nil {
		if err := r.Directory.savePlan(record.ID, p, asked); err != nil {
			return record, err
		}
	}
	return r.Carry(ctx, record.ID, p, asked, emit)
}

// Detach puts a plan on record and starts a program that carries it out with Resume, in the background. It returns
// once that program has started.
func (r *Runner) Detach(ctx context.Context, p *Plan, asked string, argv func(id string) []string) (*Record, error) {
	if err := r.afford(ctx); err != nil {
		return nil, err
	}
	record, err := r.Directory.New(ctx, p, asked, r.Relay.now())
	if err != nil {
		return nil, err
	}
	if err := r.Directory.savePlan(record.ID, p, asked); err != nil {
		return nil, err
	}
	return r.Directory.files().Detach(ctx, record.ID, p.Dir, argv(record.ID)...)
}

// Resume carries out a relay that Detach put on record.
func (r *Runner) Resume(ctx context.Context, id string) (*Record, error) {
	p, asked, err := r.Directory.takePlan(id)
	if err != nil {
		return nil, err
	}
	if err := r.Relay.resume(p); err != nil {
		return nil, err
	}
	return r.Carry(ctx, id, p, asked, nil)
}

func (r *Runner) afford(ctx context.Context) error {
	if r.Afford == nil {
		return nil
	}
	return r.Afford(ctx)
}

// Carry carries out a plan that Directory.New put on record. Conflict says that it has started already.
func (r *Runner) Carry(ctx context.Context, id string, p *Plan, asked string, emit func(Event)) (*Record, error) {
	files := r.Directory.files()
	record, release, err := files.Take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	if record.State != Pending && (record.State.Ended() || record.Until.IsZero() && record.Rounds == nil) {
		return record, core.Errorf(core.Conflict, "the relay %s has started already: it is %s", id, record.State)
	}
	record.State, record.PID = Running, os.Getpid()
	if err := files.Save(record); err != nil {
		return record, err
	}
	log, err := r.Directory.eventLog(id)
	if err != nil {
		return record, core.FileError("record the relay", err)
	}
	limited, stop := files.Cancellable(ctx, id)
	pass := func(event Event) {
		log.write(&event)
		if emit != nil {
			emit(event)
		}
	}
	var result *Result
	var failure error
	if p.Members != nil {
		result, failure = r.rounds(limited, p, record, pass)
	} else {
		p, result, failure = r.ask(limited, p, record, asked, pass)
	}
	stop()
	log.close()
	if p.Members == nil {
		r.Directory.removePlan(id)
	}
	if p.Dropped > 0 {
		result.Warnings = append(result.Warnings, "the oldest turns of the conversation did not fit and were left out")
	}
	used := result.Used
	if p.Session != "" && p.backend.totals() {
		result.Used = used.Since(p.Before)
	}
	// Backends that do not say which model answers were asked with one, or with their own default.
	result.Model = cmp.Or(result.Model, p.Model)
	record.end(result, failure, r.Relay.now())
	r.cost(record)
	// What was spent is recorded even if the caller has gone.
	if err := r.count(p, record); err != nil && r.Log != nil {
		r.Log.Warn("the usage of a relay could not be recorded", "relay", id, "error", err)
	}
	saved := files.Save(record)
	if saved != nil {
		// A shorter record may fit where the answer did not.
		short := *record
		short.Text, short.State, short.Error, short.ErrorCode = "", Failed, saved.Error(), core.IOError
		_ = files.Save(&short)
	}
	// One that is cut off before this continues by its plan.
	r.Directory.removePlan(id)
	if failure == nil && p.Label != "" {
		saved = errors.Join(saved, r.Labels.save(context.WithoutCancel(ctx), p, asked, result, used, r.Relay.now()))
	}
	if failure != nil {
		return record, failure
	}
	return record, saved
}

// ask asks the backend of a plan, and again or another one after a usage limit. It returns the plan that was carried
// out last. While it waits, the plan is on file, so that a relay that is cut off then can be resumed.
func (r *Runner) ask(
	ctx context.Context, p *Plan, record *Record, asked string, emit func(Event),
) (*Plan, *Result, error) {
	planned, until := p, record.Until
	throttle := &run.Throttle{LimitPolicy: p.Limits, Now: r.Relay.now, Changed: func(until time.Time) error {
		if record.Until = until; !until.IsZero() {
			if err := r.Directory.savePlan(record.ID, planned, asked); err != nil {
				return err
			}
		}
		if r.waits != nil {
			r.waits(until)
		}
		return r.Directory.files().Save(record)
	}}
	if err := throttle.Wait(ctx, until); err != nil {
		return p, &Result{}, cancelled(p, err)
	}
	for {
		var end Event
		result, failure := r.Relay.Run(ctx, p, func(event Event) {
			if event.Type == stream.Failed {
				end = event
				return
			}
			emit(event)
		})
		if failure == nil {
			return p, result, nil
		}
		if core.AsError(failure).HasCode(core.RateLimited) && !throttle.Stops() {
			emit(Event{Type: stream.Retrying, Code: core.RateLimited, Text: failure.Error()})
		}
		next, err := throttle.Next(ctx, p.Backend, failure)
		if err != nil {
			if end.Type != "" {
				emit(end)
			}
			if ctx.Err() != nil {
				err = cancelled(p, err)
			}
			return p, result, err
		}
		p = planned
		for _, other := range planned.Others {
			if other.Backend == next {
				p = other
			}
		}
		record.Backend, record.Guarantee, record.Model = p.Backend, p.Guarantee, p.Model
	}
}

// cancelled is the error of a relay that was cancelled.
func cancelled(p *Plan, cause error) *core.Error {
	return &core.Error{Code: core.Cancelled, Message: "the relay to " + p.Backend + " was cancelled", Err: cause}
}

// The sources of a cost, as usage has them.
const (
	costOfAgent = "agent"
	costOfTable = "table"
	costUnknown = "unknown"
)

// CostKnown reports whether the cost of the relay is known.
func (r *Record) CostKnown() bool { return r.CostSource == costOfAgent || r.CostSource == costOfTable }

func (r *Runner) cost(record *Record) {
	usage := record.Used
	switch {
	case usage == nil || record.Rounds != nil:
		return
	case usage.CostUSD != nil:
		record.CostUSD, record.CostSource = *usage.CostUSD, costOfAgent
		return
	case r.Price != nil && record.Model != "":
		if cost, known := r.Price(record.Model, usage); known {
			record.CostUSD, record.CostSource = cost, costOfTable
			return
		}
	}
	record.CostSource = costUnknown
}

// UsageFile is the file with what relays used, a line for each.
func (b Directory) UsageFile() string { return cmp.Or(b.Usage, filepath.Join(b.Dir, "usage.jsonl")) }

// UsageLine is the usage of one relay, which the backend itself does not record.
type UsageLine struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Backend string    `json:"backend"`
	Dir     string    `json:"dir"`
	Model   string    `json:"model"`
	stream.Usage
}

// count records what a relay used, unless the backend's own transcript says so.
func (r *Runner) count(p *Plan, record *Record) error {
	if p.Keeps || record.Used == nil || record.Used.Total() == 0 {
		return nil
	}
	line, err := json.Marshal(&UsageLine{
		ID: record.ID, At: record.Ended, Backend: record.Backend, Dir: record.Dir, Model: record.Model,
		Usage: *record.Used,
	})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.Directory.UsageFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append(line, '\n'))
	return err
}
