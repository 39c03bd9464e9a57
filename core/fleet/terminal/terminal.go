// Package terminal reads and types into one pane: it captures the screen as the rules of the agent kind parse
// it, waits for conditions on the screen, and decides what refuses input.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
)

// Terminal is one pane to read and type into.
type Terminal struct {
	engine   engine.Engine
	observer *observe.Observer
	Pane     *core.Pane
	// Kind is nil if no rules parse the screen.
	Kind *agent.Kind
	// AnyProgram allows typing into the shell left by an agent that has ended.
	AnyProgram bool
	// version returns the version of the agent by the file of its program; empty if unknown.
	version func() string
}

// New returns the terminal of a pane. It does not query the engine.
func New(eng engine.Engine, observer *observe.Observer, pane *core.Pane) *Terminal {
	t := &Terminal{engine: eng, observer: observer, Pane: pane, Kind: observer.KindOf(pane)}
	t.version = sync.OnceValue(func() string { return observer.RunningVersion(pane, t.Kind) })
	return t
}

// running returns the kind at the version that a screen shows or, where it shows none, that the program's file says.
func (t *Terminal) running(screen *core.Screen) *agent.Kind {
	if !t.Kind.Versioned() {
		return t.Kind
	}
	if shown := t.Kind.VersionOn(screen); shown != "" {
		return t.Kind.At(shown)
	}
	return t.Kind.At(t.version())
}

// Press presses keys.
func (t *Terminal) Press(ctx context.Context, keys ...string) error {
	return t.engine.Press(ctx, t.Pane.ID, keys...)
}

// Paste pastes a text.
func (t *Terminal) Paste(ctx context.Context, text string) error {
	return t.engine.Paste(ctx, t.Pane.ID, []byte(text))
}

// Capture is one capture of a pane.
type Capture struct {
	Screen *core.Screen
	// Reading is nil for kinds without rules.
	Reading *agent.Reading
	// signs reads by general signs a screen for which the kind has no rules; nil otherwise.
	signs *agent.Reading
	// Front is the program in the foreground and TTY its terminal; both are zero if only the screen was
	// captured.
	Front     core.Process
	TTY       string
	processes process.Source
	// Hook is the last edge that hooks reported; nil if unknown, or if only the screen was captured.
	Hook *detect.Hook
	// Agent is the agent in the pane; zero if only the screen was captured.
	Agent core.Agent
}

// Inspect captures the process and the screen of the pane. It refuses if no input is possible, whatever the
// screen shows.
func (t *Terminal) Inspect(ctx context.Context) (*Capture, error) {
	row, err := t.Row(ctx)
	if err != nil {
		return nil, err
	}
	g, err := t.Capture(ctx)
	if err == nil && g.Screen.View.InMode {
		return nil, Refusal{Why: whyCopyMode, Evidence: "the user scrolls back in the pane"}
	}
	if err == nil {
		g.processes = t.engine.Processes()
		g.Agent = t.observer.AgentOf(row)
		g.Front, g.TTY, g.Hook = row.Process, row.TTY, panetag.DecodeHook(row.Tags[engine.TagHook])
	}
	return g, err
}

// Row returns the current listing of the pane. It refuses if the program or agent has ended: the shell left
// there would run the input.
func (t *Terminal) Row(ctx context.Context) (*engine.Pane, error) {
	listing, err := t.engine.List(ctx, engine.WithCommand)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(listing.Panes, func(row engine.Pane) bool { return row.ID == t.Pane.ID })
	if i < 0 {
		return nil, fmt.Errorf("look at pane %s: %w", t.Pane.ID, engine.ErrNoPane)
	}
	return &listing.Panes[i], t.checkRunning(&listing.Panes[i])
}

// checkRunning refuses panes whose program or agent has ended.
func (t *Terminal) checkRunning(row *engine.Pane) error {
	now := *t.Pane
	now.Process = row.Process
	switch {
	case row.Process.Dead:
		return Refusal{Why: WhyDead, Evidence: observe.Ended(t.engine.Processes(), row.Process).Evidence[0]}
	case t.Kind == nil && !t.AnyProgram && t.Pane.IsUser() && agentLeft(row):
		return Refusal{
			Why: WhyLeft, Remedy: core.RemedyTypeAnyway,
			Evidence: "the agent that ran there is gone; " + row.Process.Command + " is in the foreground",
		}
	case t.Kind == nil:
		return nil
	case t.observer.Left(&now, t.Kind),
		t.Pane.Agent.Recognised != "tag" && t.observer.AgentOf(row).Kind != t.Kind.ID:
		return Refusal{
			Why:      WhyLeft,
			Evidence: fmt.Sprintf("%s is gone; %s is in the foreground", t.Kind.Name, row.Process.Command),
		}
	}
	return nil
}

// agentLeft reports whether only a shell is left in a pane where an agent ran that Cupola did not start.
func agentLeft(row *engine.Pane) bool {
	return observe.IsShell(row.Process.Command) && panetag.DecodeState(row.Tags[engine.TagState]).State != ""
}

// Capture captures only the screen of the pane.
func (t *Terminal) Capture(ctx context.Context) (*Capture, error) {
	// Attributes distinguish a draft from a suggestion that the agent draws in its place.
	screens, err := t.engine.Capture(ctx, engine.Ask{Pane: t.Pane.ID, Escapes: true})
	if err != nil {
		return nil, err
	}
	if len(screens) == 0 {
		return nil, fmt.Errorf("look at pane %s: %w", t.Pane.ID, engine.ErrNoPane)
	}
	g := &Capture{Screen: &screens[0]}
	g.Screen.Launch = t.Pane.Agent.Launch
	if t.Kind != nil && t.Kind.Readable() {
		g.Reading = t.running(g.Screen).Read(g.Screen)
	} else if generic := t.observer.Generic(); generic != nil {
		g.signs = generic.Read(g.Screen)
	}
	return g, nil
}

// Dialog returns the open dialog, by the rules of the kind or, for a program without rules, by general signs; false if
// there is none.
func (g *Capture) Dialog() (agent.OpenDialog, bool) {
	switch {
	case g.Reading != nil:
		return g.Reading.Dialog()
	case g.signs != nil:
		return g.signs.Dialog()
	}
	return agent.OpenDialog{}, false
}

// The time between two captures grows from PollFirst to PollLast.
const (
	PollFirst = 20 * time.Millisecond
	PollLast  = 250 * time.Millisecond
)

// ErrLate means that the awaited condition did not occur in time.
var ErrLate = errors.New("it did not come in time")

// Until captures the screen, at growing intervals, until seen returns true. It returns ErrLate after limit.
func (t *Terminal) Until(ctx context.Context, limit time.Duration, seen func(*Capture) (bool, error)) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	for pause := PollFirst; ; pause = min(pause*3/2, PollLast) {
		g, err := t.Capture(ctx)
		if err != nil {
			return err
		}
		if done, err := seen(g); done || err != nil {
			return err
		}
		select {
		case <-late.C:
			return ErrLate
		default:
		}
		if err := core.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// Sees is Until for a condition that need not come: it reports whether it came within the limit.
func (t *Terminal) Sees(ctx context.Context, limit time.Duration, wanted func(*Capture) bool) (bool, error) {
	err := t.Until(ctx, limit, func(g *Capture) (bool, error) { return wanted(g), nil })
	if errors.Is(err, ErrLate) {
		return false, nil
	}
	return err == nil, err
}

// Attributes matches the sequences that set colours in a captured line.
var Attributes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;:]*m`) })

// LastLine returns the last line of the screen, without colours.
func (g *Capture) LastLine() string {
	lines := g.Screen.Bottom(8)
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(Attributes().ReplaceAllString(lines[i], "")); line != "" {
			return core.Excerpt(line)
		}
	}
	return ""
}

// Shows reports whether the screen shows the beginning or the end of a text outside the composer.
func (g *Capture) Shows(text string) bool {
	const enough = 40
	want := agent.Squeeze(text)
	if want == "" {
		return false
	}
	seen := agent.Squeeze(Attributes().ReplaceAllString(strings.Join(g.transcript(), "\n"), ""))
	if len(want) <= enough {
		return strings.Contains(seen, want)
	}
	return strings.Contains(seen, want[:enough]) || strings.Contains(seen, want[len(want)-enough:])
}

// transcript returns the lines above the composer; all lines if there is none.
func (g *Capture) transcript() []string {
	lines := g.Screen.Lines
	if g.Reading != nil {
		if composer, found := g.Reading.Composer(); found {
			return lines[:max(0, min(composer.Top, len(lines)))]
		}
	}
	return lines
}

// Status returns the agent's status as one capture shows it.
func (t *Terminal) Status(g *Capture) core.Status {
	if g.Reading == nil {
		if dialog, open := g.Dialog(); open {
			return core.Status{
				State: core.Waiting, Reason: dialog.Reason, Evidence: []string{DialogOpen(dialog.Block)},
			}
		}
		return PlainStatus(t.Pane)
	}
	if block, blocked := g.Reading.Blocked(); blocked {
		return core.Status{State: core.Waiting, Reason: block.Reason, Evidence: []string{DialogOpen(block)}}
	}
	if working, running := g.Reading.Working(); running {
		return core.Status{State: core.Working, Reason: working.Rule.Reason, Evidence: []string{Matched(working)}}
	}
	if limited, waits := g.Reading.Running(); waits {
		return core.Status{
			State: core.Limited, Reason: limited.Rule.Reason, Notes: []core.Note{core.NoteRetrying},
			Evidence: []string{Matched(limited)},
		}
	}
	if _, found := g.Reading.Composer(); found {
		return core.Status{State: core.Idle, Evidence: []string{"the composer is there and no turn is seen to run"}}
	}
	return observe.Undecided(fmt.Sprintf("no composer is seen; the last line is %q", g.LastLine()))
}

// Announced reports whether a hook reported a dialog recently. The rejection of a dialog is not reported, so
// an older edge proves nothing.
func Announced(hook *detect.Hook, now time.Time) bool {
	return hook != nil && hook.State == core.Waiting && now.Sub(hook.At) < DrawWait
}
