// Package notify notifies the user of alerts and of finished turns: by the terminal's bell, the desktop, a command and
// services. It notifies once when an alert is raised and when it escalates, and filters and throttles as
// Options say. It knows no engine; callers pass it the changes.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/text/secret"
)

// Options select how to notify. The zero value notifies in no way.
type Options struct {
	// Terminal is the user's terminal.
	Terminal Terminal
	// Desktop shows a notification of the desktop.
	Desktop bool
	// Command is the argument vector of a program that gets the event as JSON on
	// its standard input; empty is none. It is run without a shell.
	Command []string
	// Services are notified over the network.
	Services []Service
	// Others are more ways over the network, as they are when a notification is sent; nil is none.
	Others func() []Way
	// Least is the least severity that is notified; empty notifies of all. Also are types of alerts and their groups
	// that are notified whatever their severity.
	Least core.Severity
	Also  []string
	// Sessions are patterns (path.Match) of the sessions that are notified of; empty is all.
	Sessions []string
	// Quiet are the hours in which only critical alerts are notified.
	Quiet Window
	// Away reports whether the user has left; while they have not, no service gets anything. Nil is always.
	Away func() bool
	// Every is the least time between two notifications; later alerts within it are merged
	// into the next one. Zero is no limit.
	Every time.Duration
	// Again is how long after a notification one about an alert that is still open follows; zero is never.
	Again time.Duration
	// Turns is how long an agent must have worked for the end of its turn to be notified; zero is never.
	Turns time.Duration
	// Ledger keeps what was sent, for all processes.
	Ledger Ledger
	// Describe adds what belongs to a change: how it is answered and where; nil adds nothing.
	Describe func(*alert.Change) About
	// Now is the clock; nil is time.Now. Log takes what goes wrong; nil discards it.
	Now func() time.Time
	Log *slog.Logger
}

// Way notifies the user over the network. Neither its name nor its errors have a secret.
type Way interface {
	// String names it.
	String() string
	// Key distinguishes ways on record; no secret can be read from it.
	Key() string
	// Notify sends a message and returns its id there; empty if it cannot be withdrawn.
	Notify(ctx context.Context, m *Message) (id string, err error)
	// Withdraw withdraws the message with an id that Notify returned, or marks it as over, which m says in words.
	Withdraw(ctx context.Context, id string, m *Message) error
}

// ways are the services and the other ways.
func (o *Options) ways() []Way {
	all := core.Map(o.Services, func(service Service) Way { return service })
	if o.Others != nil {
		all = append(all, o.Others()...)
	}
	return all
}

// About describes a change beside the alert: where the agent works, and how it is answered.
type About struct {
	// Host is the name of this machine. Folder and Branch are where the agent works; empty if not known.
	Host   string `json:"host,omitempty"`
	Folder string `json:"folder,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Command answers it in a terminal, Page is the address at which it is answered in a browser.
	Command string `json:"command,omitempty"`
	Page    string `json:"page,omitempty"`
	// Card is where the page of a server shows it; empty for a message that is no question.
	Card Card `json:"-"`
	// Actions answer it at once.
	Actions []Action `json:"actions,omitempty"`
}

// Card is where the page of a server shows one question.
type Card struct {
	// Place is the end of its address, from the # on.
	Place string
	// Approval is true if it is approved or denied.
	Approval bool
}

// Action is an answer that a POST to an address gives.
type Action struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// Message is a notification in words.
type Message struct {
	Title, Body string
	Severity    core.Severity
	// Page is the address of its answer in a browser; empty without a server.
	Page    string
	Card    Card
	Actions []Action
	// Event is the value that a command and a webhook get.
	Event any
}

// Bounded is the message with a title and a body of at most so many characters each.
func (m *Message) Bounded(most int) Message {
	short := *m
	short.Title, short.Body = bounded(m.Title, most), bounded(m.Body, most)
	return short
}

// text is the body with the address of the page.
func (m *Message) text() string {
	if m.Page == "" {
		return m.Body
	}
	return m.Body + "\n" + m.Page
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
	// open are the alerts that were notified of and are open, with what ends the wait to notify again.
	open map[string]chan struct{}
	// posting are the alerts that are being sent, each with its end if it ended meanwhile.
	posting map[string]*core.Alert
	// flushed is closed by flush, which sends what is pending at once.
	flushed chan struct{}
	flush   func()
}

// New returns a Notifier.
func New(opts Options) *Notifier {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	n := &Notifier{
		opts: opts, run: run, open: map[string]chan struct{}{}, posting: map[string]*core.Alert{},
		flushed: make(chan struct{}),
	}
	n.flush = sync.OnceFunc(func() { close(n.flushed) })
	return n
}

// Changed notifies of an alert that was raised or has become more severe, and of a finished turn. It does not
// block; programs run in the background.
func (n *Notifier) Changed(ctx context.Context, change alert.Change) {
	if change.Type != core.AlertRaised {
		n.closed(change.Alert.ID)
		n.Over(ctx, change.Alert)
		return
	}
	if !n.wants(&change) || !change.Escalated && n.opts.Ledger.Sent(&change.Alert) {
		return
	}
	n.opts.Ledger.Note(&change.Alert, n.opts.Now())
	n.queue(ctx, change)
	n.repeat(ctx, change)
}

// Over withdraws the messages about an alert that is not open any more, where that can be. One that was not sent
// yet is not sent. It does not block.
func (n *Notifier) Over(ctx context.Context, a core.Alert) {
	n.mu.Lock()
	n.pending = slices.DeleteFunc(n.pending, func(c alert.Change) bool { return c.Alert.ID == a.ID })
	if _, under := n.posting[a.ID]; under {
		n.posting[a.ID] = &a
		n.mu.Unlock()
		return
	}
	n.mu.Unlock()
	n.sending.Go(func() { n.withdraw(ctx, &a) })
}

// withdraw withdraws the messages on record about an alert.
func (n *Notifier) withdraw(ctx context.Context, a *core.Alert) {
	messages := n.opts.Ledger.takeLast(a.ID)
	if len(messages) == 0 {
		return
	}
	m := &Message{Title: "Over: " + a.Subject, Body: secret.Mask(a.Message), Severity: a.Severity}
	for _, way := range n.opts.ways() {
		for _, id := range messages[way.Key()] {
			if err := way.Withdraw(ctx, id, m); err != nil {
				n.opts.Log.Warn("a notification was not withdrawn", "by", way.String(), "error", err)
			}
		}
	}
}

// queue sends a change, at once or merged with others.
func (n *Notifier) queue(ctx context.Context, change alert.Change) {
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

// repeat notifies again while an alert stays open.
func (n *Notifier) repeat(ctx context.Context, change alert.Change) {
	n.closed(change.Alert.ID)
	if n.opts.Again <= 0 || change.Alert.Type == alert.TurnFinished {
		return
	}
	over := make(chan struct{})
	n.mu.Lock()
	n.open[change.Alert.ID] = over
	n.mu.Unlock()
	n.sending.Go(func() {
		pause := time.NewTicker(n.opts.Again)
		defer pause.Stop()
		for {
			select {
			case <-pause.C:
				if n.wants(&change) { // the hours may be quiet now
					n.queue(ctx, change)
				}
			case <-over:
				return
			case <-n.flushed:
				return
			}
		}
	})
}

// closed ends the wait to notify again of an alert.
func (n *Notifier) closed(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if over := n.open[id]; over != nil {
		close(over)
		delete(n.open, id)
	}
}

// drain returns the pending changes, to be sent now; the caller holds the lock.
func (n *Notifier) drain() []alert.Change {
	due := n.pending
	n.pending, n.last = nil, time.Now()
	return due
}

// wants reports whether a change is notified of now.
func (n *Notifier) wants(change *alert.Change) bool {
	a := &change.Alert
	if len(n.opts.Sessions) > 0 && !slices.ContainsFunc(n.opts.Sessions, func(pattern string) bool {
		fits, err := path.Match(pattern, a.Session)
		return fits && err == nil
	}) {
		return false
	}
	if n.opts.Quiet.Has(n.opts.Now().Local()) && a.Severity != core.SeverityCritical {
		return false
	}
	if a.Type == alert.TurnFinished {
		return n.opts.Turns > 0 && change.Lasted >= n.opts.Turns
	}
	if slices.Contains(n.opts.Also, string(a.Type)) {
		return true
	}
	if slices.ContainsFunc(core.AlertKinds, func(kind core.AlertKind) bool {
		return kind.Type == a.Type && kind.Group != "" && slices.Contains(n.opts.Also, kind.Group)
	}) {
		return true
	}
	return n.opts.Least == "" || a.Severity.Compare(n.opts.Least) <= 0
}

// Wait sends the pending changes at once, and returns when all are sent.
func (n *Notifier) Wait() {
	n.flush()
	n.sending.Wait()
}

// send notifies of several alerts at once.
func (n *Notifier) send(ctx context.Context, due []alert.Change) {
	if len(due) == 0 {
		return // their alerts are over
	}
	for i := range due {
		due[i].Alert.Message = secret.Mask(due[i].Alert.Message)
	}
	n.underWay(due, true)
	for way, err := range n.deliver(ctx, due) {
		n.opts.Log.Warn("a notification was not sent", "by", way, "error", err)
	}
	for _, a := range n.underWay(due, false) {
		n.withdraw(ctx, a)
	}
}

// underWay notes that changes are being sent, or no longer, and returns the alerts that ended meanwhile.
func (n *Notifier) underWay(due []alert.Change, started bool) (over []*core.Alert) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range due {
		id := due[i].Alert.ID
		if started {
			n.posting[id] = nil
			continue
		}
		if a := n.posting[id]; a != nil {
			over = append(over, a)
		}
		delete(n.posting, id)
	}
	return over
}

// deliver sends a notification of some alerts every way, and returns which ways failed.
func (n *Notifier) deliver(ctx context.Context, due []alert.Change) map[string]error {
	failed := map[string]error{}
	tried := func(way string, err error) {
		if err != nil {
			failed[way] = err
		}
	}
	events := make([]event, len(due))
	for i := range due {
		events[i] = event{Type: due[i].Type, Escalated: due[i].Escalated, Alert: due[i].Alert}
		if n.opts.Describe != nil {
			events[i].About = n.opts.Describe(&due[i])
		}
	}
	m := messageOf(events)
	tried("terminal", n.opts.Terminal.notify("Cupola: "+m.Title, m.Body))
	if n.opts.Desktop {
		tried("desktop", n.bounded(ctx, desktop("Cupola: "+m.Title, m.Body), nil))
	}
	if len(n.opts.Command) > 0 {
		for i := range events {
			input, err := json.Marshal(events[i])
			if err == nil {
				err = n.bounded(ctx, n.opts.Command, append(input, '\n'))
			}
			tried("command "+n.opts.Command[0], err)
		}
	}
	if n.opts.Away != nil && !n.opts.Away() {
		return failed
	}
	ids := map[string]string{}
	for _, way := range n.opts.ways() {
		id, err := way.Notify(ctx, m)
		tried(way.String(), err)
		if id != "" {
			ids[way.Key()] = id
		}
	}
	if slices.ContainsFunc(due, func(c alert.Change) bool { return c.Alert.Type == alert.TurnFinished }) {
		return failed // which is never over
	}
	for i := range due {
		tried("ledger", n.opts.Ledger.post(&due[i].Alert, ids))
	}
	return failed
}

// Test sends a notification every way that the options have, and returns the ways with what went wrong; nil for one
// that worked.
func (n *Notifier) Test(ctx context.Context) map[string]error {
	n.opts.Away = nil
	test := alert.Change{Type: core.AlertRaised, Alert: core.Alert{
		ID: "test", Type: "test", Severity: core.SeverityInfo, Subject: "test",
		Message:   "This is a test: notifications come this way.",
		FirstSeen: n.opts.Now(), LastSeen: n.opts.Now(), Count: 1,
	}}
	failed := n.deliver(ctx, []alert.Change{test})
	ways := map[string]error{}
	if n.opts.Desktop {
		ways["desktop"] = nil
	}
	if len(n.opts.Command) > 0 {
		ways["command "+n.opts.Command[0]] = nil
	}
	for _, way := range n.opts.ways() {
		ways[way.String()] = nil
	}
	for way, err := range failed {
		ways[way] = err
	}
	return ways
}

// event is the JSON on a command's standard input.
type event struct {
	Type      core.EventType `json:"type"`
	Escalated bool           `json:"escalated"`
	Alert     core.Alert     `json:"alert"`
	About
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

// messageOf says what some alerts are about: a line for each, and under it where that is and how it is answered.
func messageOf(due []event) *Message {
	newest := &due[len(due)-1]
	m := &Message{Title: newest.Alert.Subject, Severity: newest.Alert.Severity, Page: newest.Page, Event: newest}
	if more := len(due) - 1; more > 0 {
		m.Title = fmt.Sprintf("%s and %d more", m.Title, more)
		m.Event = due
	} else {
		m.Card, m.Actions = newest.Card, newest.Actions
	}
	var lines []string
	for i := range due {
		e := &due[i]
		lines = append(lines, e.Alert.Message)
		where := slices.DeleteFunc([]string{e.Folder, e.Branch, e.Host}, func(part string) bool { return part == "" })
		if len(where) > 0 {
			lines = append(lines, strings.Join(where, ", "))
		}
		if e.Command != "" {
			lines = append(lines, e.Command)
		}
		m.Severity = more(m.Severity, e.Alert.Severity)
	}
	m.Body = strings.Join(lines, "\n")
	return m
}

// more is the more severe of two severities.
func more(a, b core.Severity) core.Severity {
	if b.Compare(a) < 0 {
		return b
	}
	return a
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
