package tui

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/term/cells"
	"cupola/core/verb/agents"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// recorder is an actor that records its intents and does nothing.
type recorder struct {
	did     []intent.Intent
	read    []intent.Read
	visible []core.PaneID
	ticks   []time.Duration
}

func (p *recorder) Next() tea.Msg            { return nil }
func (p *recorder) Look(panes []core.PaneID) { p.visible = panes }

func (p *recorder) Tick(every time.Duration) tea.Cmd {
	p.ticks = append(p.ticks, every)
	return func() tea.Msg { return nil }
}

func (*recorder) Doing(act intent.Act) string { return catalog.All().Taking(act.Input).Doing }

func (p *recorder) Do(wanted intent.Intent) tea.Cmd {
	if read, is := wanted.(intent.Read); is {
		p.read = append(p.read, read)
	} else {
		p.did = append(p.did, wanted)
	}
	return func() tea.Msg { return nil }
}

// wasAsked returns the last question of a type, nil if none was asked, and forgets all questions.
func wasAsked[Q any](p *recorder) (last *intent.Read) {
	for _, read := range p.read {
		if _, is := read.Question.(Q); is {
			last = &read
		}
	}
	p.read = nil
	return last
}

// last returns what was asked for last, with the names of its targets alone, and forgets it.
func (p *recorder) last() intent.Intent {
	if last := p.exactly(); last != nil {
		return called(last)
	}
	return nil
}

// exactly is last with the identities of the targets.
func (p *recorder) exactly() intent.Intent {
	if len(p.did) == 0 {
		return nil
	}
	last := p.did[len(p.did)-1]
	p.did = nil
	return last
}

// called is an intent whose targets have their names alone. That they have identities too is tested where it matters.
func called(wanted intent.Intent) intent.Intent {
	plain := reflect.New(reflect.TypeOf(wanted)).Elem()
	plain.Set(reflect.ValueOf(wanted))
	for i := range plain.NumField() {
		switch field := plain.Field(i).Addr().Interface().(type) {
		case *[]intent.Act:
			*field = slices.Clone(*field)
			for i := range *field {
				(*field)[i] = called((*field)[i]).(intent.Act)
			}
		case *[]intent.Target:
			*field = slices.Clone(*field)
			for i := range *field {
				(*field)[i].Identity = ""
			}
		case *intent.Target:
			field.Identity = ""
		}
	}
	return plain.Interface().(intent.Intent)
}

// act is an act at some targets.
func act(input any, at ...intent.Target) intent.Act { return intent.Act{Input: input, At: at} }

// onIts is an act whose input says what it is about.
func onIts(input any, what string) intent.Act { return intent.Act{Input: input, What: what} }

// merging is the act that merges a worktree.
func merging(root string) intent.Act {
	var in sessions.TreeMergeIn
	in.Name, in.Dir = root, registry.ReadPath(root)
	return onIts(in, filepath.Base(root))
}

// prompt is the act that sends a text to a target.
func prompt(target intent.Target, text string) intent.Act {
	return act(agents.SendIn{Msg: text}, target)
}

// The acts that a question is asked before.
var (
	agreed    = registry.Consent{Yes: true}
	ending    = sessions.KillIn{Consent: agreed}
	renamed   = act(sessions.RenameIn{}, intent.Target{Session: "api", Address: "api"})
	restarted = sessions.RestartIn{Consent: agreed}
)

// answerOf is the answer of a verb, from its JSON.
func answerOf[Out any](t testing.TB, text string) (out Out) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// differ describes how intents differ; empty for the same.
func differ(want, got intent.Intent) string {
	return cmp.Diff(fmt.Sprintf("%T %+v", want, want), fmt.Sprintf("%T %+v", got, got))
}

// inputOf is the input of an act; the zero value for another one.
func inputOf[In any](wanted intent.Intent) (in In, is bool) {
	if act, isAct := wanted.(intent.Act); isAct {
		in, is = act.Input.(In)
	}
	return in, is
}

// View is the frame that the last Update drew.
func (m *model) View() string { return strings.Join(m.shown.Sent, "\n") }

// harness is a dashboard on which nothing happens but what a test does.
type harness struct {
	model    *model
	recorder *recorder
	t        testing.TB
}

// themes are made once: they never change.
var themes sync.Map

func themeOf(level theme.Level) *theme.Theme {
	known, is := themes.Load(level)
	if !is {
		known, _ = themes.LoadOrStore(level, theme.New(theme.Options{Level: level}))
	}
	return known.(*theme.Theme)
}

// bare is a harness of a size to which nothing was shown yet.
func bare(t testing.TB, level theme.Level, w, h int) *harness {
	t.Helper()
	p := &recorder{}
	s := &harness{newModel(p, themeOf(level), "/src", noon), p, t}
	later := noon
	s.model.clock = func() time.Time { // every message was read before the next key
		later = later.Add(time.Minute)
		return later
	}
	s.resize(w, h)
	return s
}

// newHarness returns a harness that shows the whole fixture, with an empty status.
func newHarness(t testing.TB, level theme.Level, w, h int) *harness {
	t.Helper()
	s := bare(t, level, w, h)
	s.filled()
	return s
}

// filled shows the whole fixture.
func (s *harness) filled() {
	s.show(fixture())
	answer[screen.WorkQuestion](s, screen.AllWork{Of: fixtureWork, Offers: fixtureOffers})
}

// open is the question of a type whose answer is shown; nil if none is.
func open[Q any](s *harness) *reading {
	for _, one := range s.model.reads.asked {
		if _, is := one.want.Question.(Q); is {
			return one
		}
	}
	return nil
}

// about is the question of a type whose answer is shown; the zero question if none is.
func about[Q any](s *harness) (question Q) {
	if one := open[Q](s); one != nil {
		question = one.want.Question.(Q)
	}
	return question
}

// answer answers the question of a type whose answer is shown, if there is one.
func answer[Q any](s *harness, value any) {
	if one := open[Q](s); one != nil {
		one.pending = true // also if it was answered before
		s.model.Update(effect.Answered{Read: intent.Read{N: one.n}, Answer: value, Now: noon})
	}
}

// fail answers a question that cannot be answered.
func fail[Q any](s *harness, err error) {
	s.model.Update(effect.Answered{Read: intent.Read{N: open[Q](s).n}, Err: err, Now: noon})
}

func (s *harness) resize(w, h int) { s.model.Update(tea.WindowSizeMsg{Width: w, Height: h}) }

// show delivers a snapshot with the screens of all its panes.
func (s *harness) show(snapshot *core.Snapshot) {
	frame := keeper.Frame{Snapshot: snapshot, Screens: map[core.PaneID]core.Screen{}}
	for _, pane := range snapshot.Panes() {
		frame.Screens[pane.ID] = captured(pane)
	}
	s.model.Update(effect.Framed{Frame: frame})
}

// press presses keys by the names that the key tables give them.
func (s *harness) press(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.model.Update(key(s.t, name))
	}
}

// write types a text, and Enter for its newlines.
func (s *harness) write(text string) {
	s.t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			s.press("enter")
		}
		if line != "" {
			s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(line)})
		}
	}
}

func (s *harness) click(button tea.MouseButton, x, y int) tea.Cmd {
	cmd := s.model.Update(tea.MouseMsg{X: x, Y: y, Button: button, Action: tea.MouseActionPress})
	return cmd
}

// row returns the line of the frame that holds a text, and -1 if none does.
func (s *harness) row(text string) int {
	return slices.IndexFunc(s.model.shown.Lines,
		func(line string) bool { return strings.Contains(ansi.Strip(line), text) })
}

// shows fails unless the frame holds a text.
func (s *harness) shows(text string) {
	s.t.Helper()
	if s.row(text) < 0 {
		s.t.Fatalf("%q is not in the frame:\n%s", text, ansi.Strip(s.model.View()))
	}
}

// hides fails if the frame holds a text.
func (s *harness) hides(text string) {
	s.t.Helper()
	if s.row(text) >= 0 {
		s.t.Fatalf("%q is in the frame:\n%s", text, ansi.Strip(s.model.View()))
	}
}

// exact fails unless the frame has its size, cell for cell.
func (s *harness) exact() {
	s.t.Helper()
	if len(s.model.shown.Lines) != s.model.size.H {
		s.t.Fatalf("%d lines in a display of %d:\n%s", len(s.model.shown.Lines), s.model.size.H, s.model.View())
	}
	for i, line := range s.model.shown.Lines {
		if got := cells.Width(line); got != s.model.size.W || strings.ContainsAny(line, "\n\r\t\a\b") {
			s.t.Fatalf("line %d has %d cells in a display of %d: %q", i, got, s.model.size.W, line)
		}
	}
}

// named are the keys that are no runes.
var named = map[string]tea.KeyType{}

func init() {
	for kind := tea.KeyType(-200); kind < 200; kind++ {
		if kind == tea.KeyRunes || kind == tea.KeySpace {
			continue
		}
		if name := kind.String(); name != "" {
			named[name] = kind
		}
	}
}

// key is the message of a key by the name that Bubble Tea gives it.
func key(t testing.TB, name string) tea.KeyMsg {
	t.Helper()
	msg := tea.KeyMsg{}
	bare, alt := strings.CutPrefix(name, "alt+")
	msg.Alt = alt
	if kind, ok := named[bare]; ok {
		msg.Type = kind
	} else {
		msg.Type, msg.Runes = tea.KeyRunes, []rune(bare)
		if bare == " " {
			msg.Type = tea.KeySpace
		}
	}
	if msg.String() != name {
		t.Fatalf("no key is called %q; %q is next to it", name, msg.String())
	}
	return msg
}

// noon is the clock of all harnesses.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)

// ran offers sessions that ran until their terminal server ended.
func (s *harness) ran() {
	s.t.Helper()
	offers, until := fixtureOffers, noon.Add(-40*time.Minute)
	offers.Ran = append(offers.Ran, []screen.Ran{
		{Session: "api", Agents: []string{"cc_1", "cc_2", "cod_1"}, Panes: 4, Until: until},
		{Session: "docs-日本", Agents: []string{"gmi_1"}, Panes: 1, Until: until},
		{Session: "web", Panes: 2, Until: until.Add(-time.Hour)},
	}...)
	answer[screen.WorkQuestion](s, screen.AllWork{Of: fixtureWork, Offers: offers})
}
