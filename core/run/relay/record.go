package relay

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
	"cupola/core/text/secret"
)

// State is how far a relay is: any state of runs but paused and needs_you.
type State = run.State

// The states of relays.
const (
	Pending     = run.Pending
	Running     = run.Running
	Done        = run.Done
	Failed      = run.Failed
	Cancelled   = run.Cancelled
	Interrupted = run.Interrupted
)

// recordVersion is the version of the records that this program writes.
const recordVersion = 1

// Record is the record of one relay. Secrets in its texts are masked.
type Record struct {
	Version int    `json:"record_version"`
	ID      string `json:"id"`
	// Panel is shared by relays that were asked together; empty for one alone.
	Panel string `json:"panel,omitempty"`
	// Label is the conversation that it belongs to; empty for none.
	Label   string  `json:"label,omitempty"`
	Backend string  `json:"backend"`
	Dir     string  `json:"dir"`
	Sandbox Sandbox `json:"sandbox"`
	// Guarantee is the guarantee of the mode with this backend.
	Guarantee string `json:"guarantee"`
	// Prompt is the caller's prompt, PromptBytes the size of the backend's whole input.
	Prompt      string `json:"prompt"`
	PromptBytes int    `json:"prompt_bytes"`
	State       State  `json:"state"`
	// PID is the process that runs it, or did last.
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
	// Ended is zero while it runs.
	Ended time.Time `json:"ended_at,omitzero"`
	// Until is when the usage limit resets that it waits for; zero while it waits for none.
	Until time.Time `json:"waits_until,omitzero"`
	Result
	// ElapsedMS and FirstTextMS are how long all of it took and how soon the first text came, in
	// milliseconds; 0 where there was none.
	ElapsedMS   int64 `json:"elapsed_ms"`
	FirstTextMS int64 `json:"first_text_ms"`
	// CostUSD is its cost, and CostSource the source of that figure: agent, table or unknown.
	CostUSD    float64 `json:"cost_usd"`
	CostSource string  `json:"cost_source,omitempty"`
	// Error is the reason why it failed; empty where it did not.
	Error     string    `json:"error,omitempty"`
	ErrorCode core.Code `json:"error_code,omitempty"`
	Hint      string    `json:"hint,omitempty"`
	// Rounds are the calls of a panel with more than one round, whose Backend has all their names; nil for others.
	Rounds *Rounds `json:"rounds,omitempty"`
}

// Head summarises it without its answer.
func (r *Record) Head() run.Head {
	h := run.Head{
		ID: r.ID, Kind: run.Relay, Name: r.Label, Title: run.Title(r.Prompt), Dir: r.Dir, State: r.State,
		Backend: r.Backend, PID: r.PID, Started: r.Started, Ended: r.Ended, CostUSD: r.CostUSD,
		CostKnown: r.CostKnown(), Error: r.Error, ErrorCode: r.ErrorCode, Hint: r.Hint,
		Until: r.State.Waits(r.Until),
	}
	switch {
	case !r.Resumable():
	case r.Until.IsZero():
		h.Reason = run.RoundsLeft
	default:
		h.Reason = run.AtLimit
	}
	return h
}

// Resumable reports whether a relay that was cut off can be resumed: it waited for the end of a usage limit, or it is a
// panel with more than one round, whose calls are on record.
func (r *Record) Resumable() bool {
	return r.State == Interrupted && (!r.Until.IsZero() || r.Rounds != nil)
}

// shortPrompt is how many bytes of a prompt lists have.
const shortPrompt = 1000

// Trim drops the answer, and all but the beginning of the prompt.
func (r *Record) Trim() {
	r.Text, r.Guarantee = "", ""
	if r.Rounds != nil {
		r.Rounds = &Rounds{}
	}
	if len(r.Prompt) > shortPrompt {
		r.Prompt = strings.ToValidUTF8(r.Prompt[:shortPrompt], "")
	}
}

// Valid returns an error for a record of a version that is not known.
func (r *Record) Valid() error { return run.Readable("a relay", r.Version, recordVersion) }

// Interrupt notes that its process ended without recording an end.
func (r *Record) Interrupt() {
	r.State, r.Error, r.ErrorCode = Interrupted, "its process ended before the answer did", core.Cancelled
}

// Cancel notes that it was cancelled.
func (r *Record) Cancel(at time.Time) {
	r.State, r.Ended, r.Until = Cancelled, at, time.Time{}
	r.Error, r.ErrorCode = "it was cancelled", core.Cancelled
}

// end notes how a run went.
func (r *Record) end(result *Result, err error, now time.Time) {
	r.Result, r.Ended, r.State, r.Until = *result, now.UTC(), Done, time.Time{}
	r.Text = secret.Mask(r.Text)
	r.ElapsedMS, r.FirstTextMS = result.Elapsed.Milliseconds(), result.FirstText.Milliseconds()
	e := core.AsError(err)
	if e == nil {
		return
	}
	r.State, r.Error, r.ErrorCode, r.Hint = Failed, secret.Mask(e.Error()), e.Code, e.Hint
	if e.Code == core.Cancelled {
		r.State = Cancelled
	}
}

// The files of a relay: what was planned, until it has ended, its events, and its record.
const (
	planFile   = "plan.json"
	eventsFile = "events.ndjson"
	recordFile = "relay.json"
)

// Directory is the directory that holds the relays.
type Directory struct {
	Dir string
	// Usage is the file that takes what relays used; empty is one in Dir.
	Usage string
	// Index lists them; nil for relays that are part of another run.
	Index *run.Index
	// Keep is how long they stay on record; 0 is for ever.
	Keep time.Duration
	// Changed is called after each event; nil for none.
	Changed func()
}

func (b Directory) files() *run.Directory[Record, *Record] {
	return &run.Directory[Record, *Record]{Dir: b.Dir, File: recordFile, Noun: "relay", Index: b.Index, Keep: b.Keep}
}

// Source is where the records of relays are, for an index.
func (b Directory) Source() run.Source { return b.files() }

// Heard returns when a backend printed something last that a relay of the directory asks; zero if none did.
func (b Directory) Heard() time.Time {
	folders, _ := os.ReadDir(b.Dir) // without it no backend was asked
	var last time.Time
	for _, folder := range folders {
		info, err := os.Stat(filepath.Join(b.Dir, folder.Name(), eventsFile))
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// ids matches what newID returns.
var ids = regexp.MustCompile(`^[a-z0-9]{8}$`)

// newID returns an id of 8 characters that are easy to type.
func newID() string { return strings.ToLower(rand.Text()[:8]) }

// NewPanel returns what relays share that are asked together.
func NewPanel() string { return newID() }

// New puts a relay on record that is pending.
func (b Directory) New(ctx context.Context, p *Plan, asked string, now time.Time) (*Record, error) {
	record := &Record{
		Version: recordVersion, ID: newID(), Panel: p.Panel, Label: p.Label, Backend: p.Backend, Dir: p.Dir,
		Sandbox: p.Sandbox, Guarantee: p.Guarantee, Prompt: secret.Mask(asked), PromptBytes: p.Bytes, State: Pending,
		Started: now.UTC(), Result: Result{Model: p.Model},
	}
	if p.Members != nil {
		record.Rounds = &Rounds{}
	}
	return record, b.files().Make(record)
}

// All returns the relays, the newest first. Those that cannot be read are left out.
func (b Directory) All() ([]Record, error) { return b.files().All() }

// Load returns the relay with an id.
func (b Directory) Load(id string) (*Record, error) {
	record, err := b.files().Load(id)
	if err != nil {
		return nil, core.FileError("read the relay", err)
	}
	return b.completed(record), nil
}

// completed adds to a relay whose process died what it had answered until then.
func (b Directory) completed(record *Record) *Record {
	if record.State == Interrupted && record.Text == "" {
		record.Text = b.SoFar(record.ID)
	}
	return record
}

// Find returns the relay with an id, or the newest with a label. An unknown one is NotFound with
// the near miss.
func (b Directory) Find(word string) (*Record, error) {
	record, err := b.files().Find(word)
	if err != nil {
		return nil, err
	}
	return b.completed(record), nil
}

// Cancel cancels a relay: it waits until its process has ended the backend, or ctx ends. Conflict
// says that it has ended.
func (b Directory) Cancel(ctx context.Context, id string) (*Record, error) {
	record, err := b.files().Cancel(ctx, id)
	if err == nil {
		b.removePlan(id)
	}
	if record != nil {
		record = b.completed(record)
	}
	return record, err
}

// Held reports whether a process carries out a relay.
func (b Directory) Held(id string) bool { return b.files().Held(id) }

// Detach starts a program that is to continue a relay in the background, and returns once it does.
func (b Directory) Detach(ctx context.Context, record *Record, argv ...string) error {
	_, err := b.files().Detach(ctx, record.ID, record.Dir, argv...)
	return err
}

// Reject records that the answer of a relay has not the form that was asked for, and why.
func (b Directory) Reject(ctx context.Context, id string, why *core.Error) (*Record, error) {
	record, release, err := b.files().Take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	record.State, record.Error, record.ErrorCode, record.Hint = Failed, secret.Mask(why.Error()), why.Code, why.Hint
	return record, b.files().Save(record)
}

// savedPlan is a plan on disk, between its making and the process that carries it out.
type savedPlan struct {
	Plan
	// Asked is the caller's own prompt, without what is sent around it.
	Asked   string        `json:"asked"`
	Timeout time.Duration `json:"timeout"`
	Quiet   time.Duration `json:"quiet"`
}

func (b Directory) savePlan(id string, p *Plan, asked string) error {
	path := filepath.Join(b.files().Folder(id), planFile)
	if err := textfile.WriteJSON(path, &savedPlan{*p, asked, p.Timeout, p.Quiet}); err != nil {
		return core.FileError("write the relay's plan", err)
	}
	return nil
}

// removePlan removes the plan of a relay: it has the prompt as it was given.
func (b Directory) removePlan(id string) {
	_ = os.Remove(filepath.Join(b.files().Folder(id), planFile))
}

// takePlan reads the plan of a relay that was put on record in the background, and removes it, or that of one that was
// cut off while it waited.
func (b Directory) takePlan(id string) (p *Plan, asked string, err error) {
	if !ids.MatchString(id) {
		return nil, "", core.Errorf(core.InvalidInput, "%q is no id of a relay", id)
	}
	record, err := b.files().Load(id)
	if err == nil && record.State != Pending && !record.Resumable() {
		return nil, "", core.Errorf(core.Conflict, "the relay %s has started already: it is %s", id, record.State)
	}
	text, err := plainfile.Read(filepath.Join(b.files().Folder(id), planFile), plainfile.Record)
	if err != nil {
		err = core.FileError("read the relay's plan", err)
		return nil, "", err
	}
	saved := savedPlan{}
	if err := json.Unmarshal(text, &saved); err != nil {
		return nil, "", core.Errorf(core.DecodeFailed, "read the relay's plan: %w", err)
	}
	if record == nil || record.Until.IsZero() && record.Rounds == nil {
		b.removePlan(id)
	}
	saved.Plan.Timeout, saved.Plan.Quiet = saved.Timeout, saved.Quiet
	return &saved.Plan, saved.Asked, nil
}

// Events returns the events of a relay from an offset in bytes on, and the offset behind them. An
// event that is half written waits for the next call.
func (b Directory) Events(id string, offset int64) ([]Event, int64, error) {
	return run.ReadLog[Event](filepath.Join(b.files().Folder(id), eventsFile), offset)
}

// SoFar returns the answer of a running relay until now: the last message.
func (b Directory) SoFar(id string) string {
	reader := &Reader{Directory: b, ID: id}
	_ = reader.Read()
	return reader.Text()
}

// Remove removes what is on record of a relay. Conflict says that a process carries it out.
func (b Directory) Remove(ctx context.Context, id string) error { return b.files().Remove(ctx, id) }
