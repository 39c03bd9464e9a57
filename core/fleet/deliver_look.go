package fleet

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
	"cupola/core/detect"
	"cupola/core/engine"
)

// terminal is one pane that is looked at and typed into.
type terminal struct {
	*observer
	pane *core.Pane
	// kind is nil where no rule reads the screen.
	kind *agent.Kind
	// anyProgram is true where the shell of an agent that has ended may be typed into.
	anyProgram bool
}

func (o *observer) terminal(pane *core.Pane) *terminal {
	return &terminal{observer: o, pane: pane, kind: o.kindOf(pane)}
}

// glance is one look at a pane.
type glance struct {
	screen *core.Screen
	// reading is nil for kinds without rules.
	reading *agent.Reading
	// front is the program in the foreground and tty its terminal; both are zero
	// where only the screen was looked at.
	front core.Process
	tty   string
	// hook is the last edge that its hooks reported; nil where none is known, or only the
	// screen was looked at.
	hook *detect.Hook
}

// see looks at the process and the screen of the pane. It refuses where nothing
// can be typed whatever the screen shows.
func (t *terminal) see(ctx context.Context) (*glance, error) {
	row, err := t.inhabited(ctx)
	if err != nil {
		return nil, err
	}
	g, err := t.peek(ctx)
	if err == nil && g.screen.View.InMode {
		return nil, refusal{whyCopyMode, "somebody scrolls back in the pane"}
	}
	if err == nil {
		g.front, g.tty, g.hook = row.Process, row.TTY, decodeHook(row.Tags[engine.TagHook])
	}
	return g, err
}

// inhabited returns the pane as it is now. It refuses where its program or agent has
// ended: a shell that is left there would run what is typed.
func (t *terminal) inhabited(ctx context.Context) (*engine.Pane, error) {
	listing, err := t.engine.List(ctx, engine.WithCommand)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(listing.Panes, func(row engine.Pane) bool { return row.ID == t.pane.ID })
	if i < 0 {
		return nil, fmt.Errorf("look at pane %s: %w", t.pane.ID, engine.ErrNoPane)
	}
	return &listing.Panes[i], t.deserted(&listing.Panes[i])
}

// deserted refuses panes whose program or agent has ended.
func (t *terminal) deserted(row *engine.Pane) error {
	now := *t.pane
	now.Process = row.Process
	switch {
	case row.Process.Dead:
		return refusal{whyDead, ended(row.Process).Evidence[0]}
	case t.kind == nil && !t.anyProgram && !t.pane.IsAgent() && agentLeft(row):
		return refusal{whyLeft, fmt.Sprintf("the agent that ran there is gone; %s is in the foreground; --command types into it", row.Process.Command)}
	case t.kind == nil:
		return nil
	case t.left(&now, t.kind), t.pane.Agent.Recognised == "process" && t.agentOf(row).Kind != t.kind.ID:
		return refusal{whyLeft, fmt.Sprintf("%s is gone; %s is in the foreground", t.kind.Name, row.Process.Command)}
	}
	return nil
}

// agentLeft reports whether a shell is left in a pane where an agent was seen that somebody
// else had started.
func agentLeft(row *engine.Pane) bool {
	return isShell(row.Process.Command) && decodeState(row.Tags[engine.TagState]).State != ""
}

// peek looks at the screen of the pane only.
func (t *terminal) peek(ctx context.Context) (*glance, error) {
	// Attributes tell a draft from a suggestion that an agent draws in its place.
	screens, err := t.engine.Capture(ctx, engine.Ask{Pane: t.pane.ID, Escapes: true})
	if err != nil {
		return nil, err
	}
	if len(screens) == 0 {
		return nil, fmt.Errorf("look at pane %s: %w", t.pane.ID, engine.ErrNoPane)
	}
	g := &glance{screen: &screens[0]}
	if t.kind != nil && t.kind.Readable() {
		g.reading = t.kind.Read(g.screen)
	}
	return g, nil
}

// Looks begin lookFirst apart and end lookLast apart.
const (
	lookFirst = 20 * time.Millisecond
	lookLast  = 250 * time.Millisecond
)

// errLate means that what was waited for did not come.
var errLate = errors.New("it did not come in time")

// until looks at the screen, less and less often, until seen says so. It
// returns errLate if that takes longer than limit.
func (t *terminal) until(ctx context.Context, limit time.Duration, seen func(*glance) (bool, error)) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	for pause := lookFirst; ; pause = min(pause*3/2, lookLast) {
		g, err := t.peek(ctx)
		if err != nil {
			return err
		}
		if done, err := seen(g); done || err != nil {
			return err
		}
		select {
		case <-late.C:
			return errLate
		default:
		}
		if err := rest(ctx, pause); err != nil {
			return err
		}
	}
}

// rest waits, unless ctx ends first.
func rest(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// attributes are the sequences with which a captured line sets colours.
var attributes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;:]*m`) })

// lastLine is the last line that a screen shows, without its colours.
func (g *glance) lastLine() string {
	lines := g.screen.Bottom(8)
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(attributes().ReplaceAllString(lines[i], "")); line != "" {
			return excerpt(line)
		}
	}
	return ""
}

// shows reports whether the screen shows the beginning or the end of a text, elsewhere
// than in the composer.
func (g *glance) shows(text string) bool {
	const enough = 40
	want := agent.Squeeze(text)
	if want == "" {
		return false
	}
	seen := agent.Squeeze(attributes().ReplaceAllString(strings.Join(g.transcript(), "\n"), ""))
	if len(want) <= enough {
		return strings.Contains(seen, want)
	}
	return strings.Contains(seen, want[:enough]) || strings.Contains(seen, want[len(want)-enough:])
}

// transcript are the lines above the composer; all where there is none.
func (g *glance) transcript() []string {
	lines := g.screen.Lines
	if g.reading != nil {
		if composer, found := g.reading.Composer(); found {
			return lines[:max(0, min(composer.Top, len(lines)))]
		}
	}
	return lines
}
