package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/run/relay/stream"
	"cupola/core/term/cells"
	"cupola/core/text/secret"
)

// Event is one step of a run.
type Event = stream.Event

// Result is how a run ended.
type Result struct {
	// Text is the answer; of a failed run it is the part until then.
	Text string `json:"text"`
	// Model is the model that answered, as the backend says or, where it does not, the one that was asked for; empty
	// where neither is known.
	Model string `json:"model,omitempty"`
	// Session is the backend's id of the conversation.
	Session string            `json:"backend_session,omitempty"`
	Used    *stream.Usage     `json:"token_counts,omitempty"`
	Stop    stream.StopReason `json:"stop_reason,omitempty"`
	Retries int               `json:"retries,omitempty"`
	// Warnings report faults that did not end the run.
	Warnings []string      `json:"warnings,omitempty"`
	Elapsed  time.Duration `json:"-"`
	// FirstText is when the first text came, from the start on; zero where none came.
	FirstText time.Duration `json:"-"`
}

// Why a run was ended from outside.
var (
	errLate  = errors.New("its time is over")
	errQuiet = errors.New("it printed nothing")
	errLoud  = errors.New("it printed too much")
	// errDenied ends a program that asks its model again though it was refused for good.
	errDenied = errors.New("it has no access")
)

// maxPrinted is the most that a backend may print, in bytes: the answer and all that it says of its work.
const maxPrinted = 256 << 20

// Run carries out a plan. Emit, if not nil, gets the events in order, one at a time; the last is
// done or failed. The result is never nil. An error has the code of its cause: Timeout,
// Cancelled, AuthFailed, RateLimited, BackendFailed and others.
func (r *Relay) Run(ctx context.Context, p *Plan, emit func(Event)) (*Result, error) {
	reader, err := stream.New(p.backend.Format())
	if err != nil {
		return &Result{}, core.Errorf(core.ConfigInvalid, "%s: %w", p.Backend, err)
	}
	one := &execution{plan: p, reader: reader, emit: emit, now: r.now, result: &Result{}}
	one.began = r.now()
	one.pass([]Event{{Type: stream.Started, Model: p.Model}})
	limited, stop := context.WithTimeoutCause(ctx, p.Timeout, errLate)
	defer stop()
	limited, cancel := context.WithCancelCause(limited)
	defer cancel(nil)
	one.cancel = cancel
	if p.Quiet > 0 {
		one.quiet = time.AfterFunc(p.Quiet, func() { cancel(errQuiet) })
		defer one.quiet.Stop()
	}
	exchange := p.process
	switch {
	case p.backend.server != nil:
		exchange = p.request
	case p.backend.program == nil:
		exchange = p.converse
	}
	for try := 1; ; try++ {
		end, err := exchange(limited, one.feed)
		failure := one.settle(limited, end, err)
		if try == maxTries || !one.mayRepeat(failure) {
			return one.finish(end, failure)
		}
		if one.reader, err = stream.New(p.backend.Format()); err != nil {
			return one.finish(end, failure)
		}
		one.pass([]Event{{Type: stream.Retrying, Text: failure.Message}})
		pause := time.NewTimer(time.Duration(try) * (retryPause + rand.N(retryPause)))
		select {
		case <-pause.C:
		case <-limited.Done():
			pause.Stop()
			return one.finish(end, one.failure(limited, end, nil))
		}
	}
}

// A program that failed before it did anything runs again, a few times.
const (
	maxTries   = 3
	retryPause = 500 * time.Millisecond
)

// execution is one run of a plan.
type execution struct {
	plan   *Plan
	emit   func(Event)
	now    func() time.Time
	began  time.Time
	quiet  *time.Timer
	result *Result
	// cancel ends the run with a cause.
	cancel context.CancelCauseFunc

	// mu guards what follows: standard output and standard error are heard at once.
	mu     sync.Mutex
	reader *stream.Reader
	last   Event
	// printed counts what the backend printed, in bytes.
	printed int
	// retried is why the last try failed that was repeated.
	retried string
	// passes says that the last try failed in a way that passes.
	passes bool
	// acted says that the backend answered something or used a tool.
	acted bool
}

// feed takes what the backend printed; nothing of it is a sign of life alone.
func (one *execution) feed(printed []byte) {
	if one.quiet != nil {
		one.quiet.Reset(one.plan.Quiet)
	}
	if len(printed) == 0 {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.pass(one.reader.Write(printed))
	if one.printed += len(printed); one.printed > maxPrinted || one.reader.Overlong() {
		one.cancel(errLoud)
	}
}

// pass notes events in the result and passes them on, but for the one that says how it ended.
func (one *execution) pass(events []Event) {
	for i := range events {
		event := events[i]
		result := one.result
		if event.Model != "" && event.Type != stream.Started {
			result.Model = event.Model
		}
		if event.Session != "" {
			result.Session = event.Session
		}
		switch event.Type {
		case stream.Done, stream.Failed:
			one.last = event
			continue
		case stream.Tool:
			one.acted = true
		case stream.Text:
			one.acted = true
			if result.FirstText == 0 {
				result.FirstText = one.now().Sub(one.began)
			}
		case stream.Warning:
			result.Warnings = append(result.Warnings, event.Text)
		case stream.Retrying:
			result.Retries++
			one.retried = event.Text
			if event.Code == core.AuthFailed {
				one.cancel(errDenied)
			}
		}
		if one.emit != nil {
			one.emit(event)
		}
	}
}

// settle ends the stream of one try, and returns its failure; nil if there is none.
func (one *execution) settle(ctx context.Context, end stream.End, err error) *core.Error {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.pass(one.reader.Close(end))
	for _, left := range end.Left {
		one.pass([]Event{{Type: stream.Warning, Text: "it left a process behind that keeps running: " + left}})
	}
	return one.failure(ctx, end, err)
}

// mayRepeat reports whether the backend failed before it did anything, in a way that passes.
func (one *execution) mayRepeat(failure *core.Error) bool {
	return failure != nil && one.passes && !one.acted
}

// finish completes the result and emits the last event.
func (one *execution) finish(end stream.End, failure *core.Error) (*Result, error) {
	result := one.result
	result.Text, result.Elapsed = one.reader.Answer(), one.now().Sub(one.began)
	result.Used = one.reader.Usage()
	result.Stop = one.last.Stop
	last := one.last
	if failure != nil {
		failure.Details = one.details(end)
		last = Event{Type: stream.Failed, Text: failure.Error(), Code: failure.Code, Stop: result.Stop}
	}
	if one.emit != nil {
		one.emit(last)
	}
	if failure != nil {
		return result, failure
	}
	return result, nil
}

// failure is why the run failed; nil where it did not.
func (one *execution) failure(ctx context.Context, end stream.End, err error) *core.Error {
	p, name := one.plan, one.plan.Backend
	one.passes = false
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLate):
		e := core.Errorf(core.Timeout, "%s timed out after %s", name, seconds(p.Timeout))
		e.Hint = "Give it more time, or ask for less."
		if one.result.Retries > 0 {
			e.Hint = fmt.Sprintf("Its model failed %s, at last with: %s", times(one.result.Retries), one.retried)
		}
		return e
	case errors.Is(cause, errQuiet):
		e := core.Errorf(core.Timeout, "%s printed nothing for %s", name, seconds(p.Quiet))
		e.Hint = "Let it be silent for longer (the limit of inactivity), or ask for less."
		return e
	case errors.Is(cause, errDenied):
		e := core.Errorf(core.AuthFailed, "%s was refused: %s", name, one.retried)
		e.Hint = "Log in to it again, or check its key; asking again cannot help."
		return e
	case errors.Is(cause, errLoud):
		e := core.Errorf(core.BackendFailed, "%s printed more than %d MiB, and was ended", name, maxPrinted>>20)
		if one.reader.Overlong() {
			e = core.Errorf(core.BackendFailed, "%s answered more than %d MiB, and was ended", name,
				stream.MaxAnswer>>20)
		}
		e.Hint = "Ask for less. What it answered until then is on record."
		return e
	case cause != nil:
		return cancelled(p, cause)
	case err != nil:
		return core.AsError(err)
	case one.last.Type != stream.Failed:
		return nil
	}
	e := &core.Error{Code: one.last.Code, Message: one.last.Text}
	switch {
	case e.Message == "" && end.Signal != "":
		e.Message = fmt.Sprintf("%s was ended by a signal: %s", name, end.Signal)
	case e.Message == "" && one.retried != "":
		e.Message = one.retried
	case e.Message == "" && end.Stderr != "":
		e.Message = complaint(end.Stderr)
	case e.Message == "" && end.Exit > 0:
		e.Message = fmt.Sprintf("%s exited with code %d", name, end.Exit)
	case e.Message == "":
		e.Message = name + " completed without producing output"
	}
	if p.backend.server == nil && (e.Code == "" || e.Code == core.BackendFailed) {
		if meaning, known := p.backend.meaning(end.Exit, e.Message+"\n"+end.Stderr); known {
			e.Code, e.Hint, one.passes = meaning.Code, meaning.Hint, meaning.Again
		} else if agent.NamesLimit(e.Message) {
			e.Code = core.RateLimited
		}
	}
	if e.Code == "" {
		e.Code = core.BackendFailed
	}
	return e
}

// details returns the known facts of a run that failed.
func (one *execution) details(end stream.End) map[string]any {
	details := map[string]any{"backend": one.plan.Backend, "elapsed_ms": one.result.Elapsed.Milliseconds()}
	if one.plan.Program != "" {
		details["exit"] = end.Exit
	}
	for key, value := range map[string]string{
		"stderr": secret.Mask(end.Stderr), "signal": end.Signal, "text": secret.Mask(lastPart(one.result.Text)),
		"model":           one.result.Model,
		"backend_session": one.result.Session,
	} {
		if value != "" {
			details[key] = value
		}
	}
	return details
}

// detailText is how much of the end of an answer an error repeats, in bytes. All of it is on record.
const detailText = 64 << 10

// lastPart is the end of a long text.
func lastPart(text string) string {
	if over := len(text) - detailText; over > 0 {
		return strings.ToValidUTF8(text[over:], "")
	}
	return text
}

// times writes how often something happened.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// seconds writes a limit of time as people do: 600s.
func seconds(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.3f", d.Seconds()), ".000") + "s"
}

// complaint returns the line of a program's standard error that says what is wrong: the last that
// has the word error, or else the last.
func complaint(text string) string {
	lines := strings.Split(strings.TrimSpace(cells.Strip(text)), "\n")
	line := lines[len(lines)-1]
	for _, each := range slices.Backward(lines) {
		if strings.Contains(strings.ToLower(each), "error") {
			line = each
			break
		}
	}
	return strings.TrimSpace(line)
}
