package tui

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/changes"
	"cupola/tui/screen/history"
	"cupola/tui/screen/scrollback"
)

// monkeySteps is how many things the monkey does; CUPOLA_MONKEY says otherwise.
const monkeySteps = 1000

// monkey does things at random, and sees that nothing breaks.
type monkey struct {
	*harness
	random *rand.Rand
	last   string
}

// foreignTexts are texts that are pasted, and names of agents.
var foreignTexts = []string{
	"x", "日本語\x1b[2J\x1b]0;x\a\u202e", "🇩🇪\u200d\u0301\n\xff\x00\t👩‍💻", "go test ./...\n\n", "\x1b",
}

func (m *monkey) text() string { return foreignTexts[m.random.IntN(len(foreignTexts))] }

// step does one thing.
func (m *monkey) step() {
	m.last = ""
	switch n := m.random.IntN(100); {
	case n < 75:
		m.last = everyKey[m.random.IntN(len(everyKey))]
		if runes := []rune(m.last); len(runes) > 1 && runes[0] > 0x7f || m.last == "e\u0301" {
			m.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: runes, Paste: true})
			return
		}
		m.press(m.last)
	case n < 78:
		m.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(m.text()), Paste: m.random.IntN(2) == 0})
	case n < 84:
		x, y := m.random.IntN(m.atLeastOne(m.model.size.W)), m.random.IntN(m.atLeastOne(m.model.size.H))
		buttons := []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}
		m.click(buttons[m.random.IntN(len(buttons))], x, y)
	case n < 87:
		m.resize(10+m.random.IntN(291), 3+m.random.IntN(98))
	default:
		m.event(m.random.IntN(17))
	}
}

// event delivers something that happened outside of the dashboard.
func (m *monkey) event(n int) {
	switch n {
	case 0:
		m.show(fixture())
	case 1:
		m.show(without("%1", "%5", core.PaneID("%"+strconv.Itoa(m.random.IntN(9)))))
	case 2:
		m.show(&core.Snapshot{Taken: noon, EngineUp: m.random.IntN(2) == 0})
	case 3:
		m.show(strange(m.text()))
	case 4:
		m.strangeStories(m.text())
	case 5:
		m.deliver()
	case 6:
		answer[changes.Question](m.harness, treesOfFixture())
	case 7:
		m.patched()
	case 8:
		answer[scrollback.Question](m.harness, scrollbackOf())
	case 9:
		answer[scrollback.Question](m.harness, transcriptOf())
	case 10:
		m.model.Update(openQuestion("%2"))
	case 11:
		m.model.Update(effect.Done{Intent: prompt(paneOne, m.text()), Said: m.text(), Err: refusal})
	case 12:
		m.model.Update(effect.CommandOutput{Intent: intent.RunCommand{Line: "summary"}, Text: m.text()})
	case 13:
		answer[screen.WorkQuestion](m.harness, screen.AllWork{Of: fixtureWork, Offers: fixtureOffers})
	case 14:
		m.readAll()
	case 15:
		m.model.Update(effect.CheckpointsListed{Entries: checkpointsOf()})
	case 16:
		answer[history.Question](m.harness, recalled())
	}
}

// ends reports whether an act ends something.
func ends(did intent.Intent) bool {
	return slices.ContainsFunc(intent.ActsOf(did), func(one intent.Act) bool {
		_, is := one.Input.(sessions.KillIn)
		return is
	})
}

func TestAMonkeyBreaksNothing(t *testing.T) {
	steps := monkeySteps
	if n, err := strconv.Atoi(os.Getenv("CUPOLA_MONKEY")); err == nil {
		steps = n
	}
	seed := rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv("CUPOLA_MONKEY_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("seed %d", seed)
	for _, look := range []*theme.Theme{themeOf(theme.True), spoken["in colours"]} {
		m := &monkey{harness: newHarness(t, theme.True, 80, 24), random: rand.New(rand.NewPCG(seed, 1))}
		m.model.world.Theme = look
		m.play(steps)
	}
}

// play does so many things.
func (m *monkey) play(steps int) {
	t := m.t
	m.commands()
	m.themed()
	for i := range steps {
		m.recorder.did = nil
		m.step()
		m.exact()
		for _, did := range m.recorder.did {
			if ends(did) && m.last != "Y" {
				t.Fatalf("step %d: %q ended something: %+v", i, m.last, did)
			}
		}
		if i%500 != 499 {
			continue
		}
		m.resize(80, 24)
		m.show(fixture())
		m.press("ctrl+]")
		for range 3*len(m.model.stack) + 5 { // a screen may be whole, and have a filter
			m.press("esc")
		}
		if m.model.form != nil || len(m.model.stack) > 1 {
			t.Fatalf("step %d: screens stay open, form %v:\n%T\n%s", i, m.model.form, m.model.stack, m.model.View())
		}
	}
}
