// Package notify notifies the user of alerts: by the terminal's bell, the desktop and a
// command. It notifies once when an alert is raised and when it escalates, and throttles as
// Options say. It knows no engine; callers pass it the changes.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/text/secret"
)

// Options select how to notify. The zero value notifies in no way.
type Options struct {
	// Bell is the terminal whose bell rings; nil rings none.
	Bell io.Writer
	// Desktop shows a notification of the desktop.
	Desktop bool
	// Command is the argument vector of a program that gets the event as JSON on
	// its standard input; empty is none. It is run without a shell.
	Command []string
	// Least is the least severity that is notified; empty notifies of all.
	Least core.Severity
	// Every is the least time between two notifications; later alerts within it are merged
	// into the next one. Zero is no limit.
	Every time.Duration
	// Log takes what goes wrong; nil discards it.
	Log *slog.Logger
}

// commandWithin is how long a user's command may take.
const commandWithin = 10 * time.Second

// Notifier notifies the user. It is safe for concurrent use.
type Notifier struct {
	opts Options
	// run starts a program with an input; tests replace it.
	run func(ctx context.Context, argv []string, input []byte) error

	mu      sync.Mutex
	last    time.Time
	pending []alert.Change
	sending sync.WaitGroup
	// flushed is closed by flush, which sends what is pending at once.
	flushed chan struct{}
	flush   func()
}

// New returns a Notifier.
func New(opts Options) *Notifier {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	n := &Notifier{opts: opts, run: run, flushed: make(chan struct{})}
	n.flush = sync.OnceFunc(func() { close(n.flushed) })
	return n
}

// Changed notifies of an alert that was raised or has become more severe. It does not
// block; programs run in the background.
func (n *Notifier) Changed(ctx context.Context, change alert.Change) {
	if change.Type != core.AlertRaised || !n.wants(change.Alert.Severity) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pending = append(n.pending, change)
	if len(n.pending) > 1 {
		return // it is sent with the first
	}
	early := n.opts.Every - time.Since(n.last)
	if early <= 0 {
		due := n.drain()
		n.sending.Go(func() { n.send(ctx, due) })
		return
	}
	n.sending.Go(func() {
		pause := time.NewTimer(early)
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-n.flushed:
		}
		n.mu.Lock()
		due := n.drain()
		n.mu.Unlock()
		n.send(ctx, due)
	})
}

// drain returns the pending changes, to be sent now; the caller holds the lock.
func (n *Notifier) drain() []alert.Change {
	due := n.pending
	n.pending, n.last = nil, time.Now()
	return due
}

func (n *Notifier) wants(severity core.Severity) bool {
	return n.opts.Least == "" || severity.Compare(n.opts.Least) <= 0
}

// Wait sends the pending changes at once, and returns when all are sent.
func (n *Notifier) Wait() {
	n.flush()
	n.sending.Wait()
}

// send notifies of several alerts at once.
func (n *Notifier) send(ctx context.Context, due []alert.Change) {
	for i := range due {
		due[i].Alert.Message = secret.Mask(due[i].Alert.Message)
	}
	if n.opts.Bell != nil {
		if _, err := io.WriteString(n.opts.Bell, "\a"); err != nil {
			n.opts.Log.Debug("the bell could not be rung", "error", err)
		}
	}
	if n.opts.Desktop {
		title, body := words(due)
		if err := n.bounded(ctx, desktop(title, body), nil); err != nil {
			n.opts.Log.Warn("the desktop could not be notified", "error", err)
		}
	}
	if len(n.opts.Command) == 0 {
		return
	}
	for i := range due {
		input, err := json.Marshal(event{Type: due[i].Type, Escalated: due[i].Escalated, Alert: due[i].Alert})
		if err == nil {
			err = n.bounded(ctx, n.opts.Command, append(input, '\n'))
		}
		if err != nil {
			n.opts.Log.Warn("the command for alerts failed", "command", n.opts.Command[0], "error", err)
		}
	}
}

// event is the JSON on a command's standard input.
type event struct {
	Type      core.EventType `json:"type"`
	Escalated bool           `json:"escalated"`
	Alert     core.Alert     `json:"alert"`
}

func (n *Notifier) bounded(ctx context.Context, argv []string, input []byte) error {
	ctx, stop := context.WithTimeout(ctx, commandWithin)
	defer stop()
	return n.run(ctx, argv, input)
}

func run(ctx context.Context, argv []string, input []byte) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

// words says what some alerts are about.
func words(due []alert.Change) (title, body string) {
	newest := due[len(due)-1].Alert
	title = newest.Subject
	if more := len(due) - 1; more > 0 {
		title = fmt.Sprintf("%s and %d more", title, more)
	}
	return "Cupola: " + title, newest.Message
}

// desktop is the command that shows a notification here.
func desktop(title, body string) []string {
	if runtime.GOOS == "darwin" {
		const script = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`
		return []string{"osascript", "-e", script, title, body}
	}
	return []string{"notify-send", "--app-name=Cupola", "--", title, body}
}
