package effect

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/intent"
)

// Answered is the answer to a question; Err says why it is not known.
type Answered struct {
	Read   intent.Read
	Answer any
	Err    error
	Now    time.Time
}

// Reader answers the questions of one type. The zero value answers none.
type Reader struct {
	// read reports false for a question of another type. Runs are the changes of runs.
	read func(ctx context.Context, w intent.Read, runs runChanges) (answer any, mine bool, err error)
	// hurry lets a reader that waits for news look at once; nil for one that does not.
	hurry func()
}

// Read makes a reader that answers each question once.
func Read[Q, A any](read func(ctx context.Context, question Q) (A, error)) Reader {
	return readOf(func(ctx context.Context, question Q, _ intent.Read) (A, error) { return read(ctx, question) })
}

// readOf is Read for an answer that depends on the fleet, or on why it is asked again.
func readOf[Q, A any](read func(ctx context.Context, question Q, w intent.Read) (A, error)) Reader {
	return readRuns(func(ctx context.Context, question Q, w intent.Read, _ runChanges) (A, error) {
		return read(ctx, question, w)
	})
}

// readRuns is ReadOf for an answer that waits for changes of runs.
func readRuns[Q, A any](read func(context.Context, Q, intent.Read, runChanges) (A, error)) Reader {
	return Reader{read: func(ctx context.Context, w intent.Read, runs runChanges) (any, bool, error) {
		question, mine := w.Question.(Q)
		if !mine {
			return nil, false, nil
		}
		answer, err := read(ctx, question, w, runs)
		return answer, true, err
	}}
}

// Paced is Read for a question that is not answered again before some time has passed, which can depend on it.
func Paced[Q comparable, A any](
	every func(question Q) time.Duration, read func(ctx context.Context, question Q) (A, error),
) Reader {
	pace := newPace()
	return Read(func(ctx context.Context, question Q) (none A, err error) {
		if err := pace.wait(ctx, question, every(question)); err != nil {
			return none, err
		}
		return read(ctx, question)
	})
}

// ByInput makes a reader of all questions that are inputs of verbs. Call calls the verb that takes one; mine is false
// if none does.
func ByInput(call func(ctx context.Context, input any) (answer any, mine bool, err error)) Reader {
	pace := newPace()
	return Reader{read: func(ctx context.Context, w intent.Read, _ runChanges) (any, bool, error) {
		if err := pace.wait(ctx, w.Question, leastPace); err != nil {
			return nil, true, err
		}
		return call(ctx, w.Question)
	}}
}

// leastPace is the least time between two readings for the same question.
const leastPace = 2 * time.Second

// pace knows when questions were answered last.
type pace struct {
	mu   sync.Mutex
	last map[any]time.Time
}

func newPace() *pace { return &pace{last: map[any]time.Time{}} }

// wait waits until the last answer to a question is some time ago, at least leastPace.
func (p *pace) wait(ctx context.Context, question any, every time.Duration) error {
	p.mu.Lock()
	wait := max(every, leastPace) - time.Since(p.last[question])
	p.mu.Unlock()
	if err := core.Sleep(ctx, wait); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[question] = time.Now()
	return nil
}

// watch makes a reader of a list of runs. The first question is answered at once, a later one when runs have changed
// and the list has, too. Identify returns the text by which two lists are compared.
func watch[Q, A any](
	list func(ctx context.Context, question Q) (A, error), identify func(list A, err error) string,
) Reader {
	w := newWatcher()
	reader := readRuns(func(ctx context.Context, question Q, _ intent.Read, runs runChanges) (found A, err error) {
		if !w.next(ctx, runs, func() string {
			found, err = list(ctx, question)
			return identify(found, err)
		}) {
			return found, ctx.Err()
		}
		return found, err
	})
	reader.hurry = w.hurry
	return reader
}

// Follow makes a reader of a run. If it was read before, the reader waits for news of it, but no longer than
// answerWithin.
func Follow[Q, A any](look func(ctx context.Context, question Q) (found A, news bool, err error)) Reader {
	f := follower[A]{}
	return readRuns(func(ctx context.Context, question Q, w intent.Read, runs runChanges) (A, error) {
		return f.next(ctx, w.Known, runs, func() (A, bool, error) { return look(ctx, question) })
	})
}

// readers answer questions, each of a type of its own.
type readers []Reader

// read answers a question; nil without a reader for it, or if the dashboard ends first.
func (r readers) read(ctx context.Context, w intent.Read, runs runChanges) tea.Msg {
	for i := range r {
		answer, mine, err := r[i].read(ctx, w, runs)
		switch {
		case !mine:
			continue
		case ctx.Err() != nil:
			return nil
		}
		return Answered{Read: w, Answer: answer, Err: err, Now: time.Now()}
	}
	return nil
}

// hurry lets those that wait for news look at once.
func (r readers) hurry() {
	for i := range r {
		if r[i].hurry != nil {
			r[i].hurry()
		}
	}
}
