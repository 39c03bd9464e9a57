package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/desk"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/terminal"
)

// acts notes what the screen does.
type acts struct{ done, waits []string }

func (a *acts) Prompt(text string) error {
	a.done = append(a.done, "prompt "+text)
	return nil
}
func (a *acts) Cancel() bool { a.done = append(a.done, "cancel"); return len(a.waits) == 0 }

func (a *acts) Answer(key, option string) bool {
	a.done = append(a.done, "answer "+key+" "+option)
	return true
}
func (a *acts) Withdraw() []string        { return a.waits }
func (a *acts) Set(setting, value string) { a.done = append(a.done, "set "+setting+" "+value) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// talk is a conversation in the middle of a turn.
func talk() (*Chat, *acts) {
	a := &acts{}
	c := New(theme.New(theme.Options{}), "Gemini CLI", a, func() time.Time { return noon })
	for _, e := range []acp.Event{
		{Type: acp.Opened, Text: "s1", Settings: []acp.Setting{
			{ID: "mode", Category: "mode", Value: "default", Values: []acp.Choice{
				{ID: "default", Name: "Default"}, {ID: "plan", Name: "Plan"},
			}},
			{ID: "model", Category: "model", Value: "g3", Values: []acp.Choice{{ID: "g3", Name: "gemini-3-pro"}}},
		}},
		{Type: acp.Commanded, Commands: []acp.Command{{Name: "compact"}, {Name: "compare"}, {Name: "memory"}}},
		{Type: acp.Sent, Prompt: 1, Text: "Move the check into one place,\nand run the tests."},
		{Type: acp.Thought, Text: "The handlers repeat it.\nI read them first."},
		{Type: acp.Said, Text: "I look at the **handlers** "},
		{Type: acp.Said, Text: "first:\n\n- `create.go`\n- `update.go`\n"},
		{Type: acp.Called, Call: &acp.Call{ID: "1", Kind: "read", Title: "create.go", Status: acp.Completed}},
		{Type: acp.Called, Call: &acp.Call{
			ID: "2", Kind: "edit", Title: "update.go", Status: acp.Completed,
			Diffs: []acp.Diff{{Path: "api/update.go", Old: "a\nb := 1\nc", New: "a\nb := check(x)\nc"}},
		}},
		{Type: acp.Called, Call: &acp.Call{
			ID: "3", Kind: "execute", Title: "tests", Command: "go vet ./...", Status: acp.Failed, Output: "exit 1",
		}},
		{Type: acp.Notice, Text: "Info: retrying"},
		{Type: acp.Planned, Plan: []acp.Step{
			{Text: "Read the handlers", Status: "completed"},
			{Text: "Move the check", Status: "in_progress"},
			{Text: "Run the tests", Status: "pending"},
		}},
		{Type: acp.Queued, Prompt: 2, Text: "then commit it"},
	} {
		c.Take(&e)
	}
	c.State(desk.State{
		State: core.Working, Reason: core.ReasonTool, Since: noon.Add(-65 * time.Second), Usage: spent,
	})
	return c, a
}

var (
	cost  = 0.0123
	spent = &acp.Usage{Window: 42_000, Size: 200_000, Input: 3000, Output: 84, CostUSD: &cost}
)

// asks opens a request.
func asks(c *Chat) {
	c.Take(&acp.Event{Type: acp.Permission, Ask: &acp.Ask{Key: "p1", Call: acp.Call{
		ID: "4", Kind: "execute", Title: "Run the tests", Command: "go test ./... \x1b[31m&& rm -rf /tmp/x",
	}, Options: []acp.Option{
		{ID: "ever", Name: "Allow for this session", Kind: "allow_always"},
		{ID: "once", Name: "Allow", Kind: "allow_once"},
		{ID: "no", Name: "Reject", Kind: "reject_once"},
	}}})
	c.State(desk.State{
		State: core.Waiting, Reason: core.ReasonApproval, Since: noon.Add(-3 * time.Second), Usage: spent,
	})
}

func screens(c *Chat, w, h int) string {
	rows := c.Draw(layout.Rect{W: w, H: h})
	for i := range rows {
		rows[i] = strings.TrimRight(cells.Strip(rows[i]), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestGoldenScreens(t *testing.T) {
	for _, size := range [][2]int{{140, 40}, {80, 24}, {60, 16}} {
		for _, scene := range []string{"working", "asking"} {
			t.Run(fmt.Sprintf("%s_%dx%d", scene, size[0], size[1]), func(t *testing.T) {
				c, _ := talk()
				if scene == "asking" {
					asks(c)
				}
				golden.RequireEqual(t, screens(c, size[0], size[1]))
			})
		}
	}
}

func TestEverySizeIsFilledExactly(t *testing.T) {
	c, _ := talk()
	asks(c)
	for w := 1; w <= 90; w++ {
		for h := 1; h <= 30; h++ {
			rows := c.Draw(layout.Rect{W: w, H: h})
			if len(rows) != h {
				t.Fatalf("%dx%d has %d rows", w, h, len(rows))
			}
			for _, row := range rows {
				if got := cells.Width(cells.Strip(row)); got != w {
					t.Fatalf("%dx%d has a row of %d cells: %q", w, h, got, row)
				}
			}
		}
	}
}

func press(c *Chat, keys ...string) {
	for _, name := range keys {
		key := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
		for of, is := range map[string]tea.KeyType{
			"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab,
			"ctrl+p": tea.KeyCtrlP, "ctrl+c": tea.KeyCtrlC,
		} {
			if name == of {
				key = tea.KeyMsg{Type: is}
			}
		}
		c.Press(key)
	}
}

func TestKeysAct(t *testing.T) {
	for name, one := range map[string]struct {
		keys []string
		asks bool
		want []string
		text string
	}{
		"a prompt":         {keys: []string{"h", "i", "enter"}, want: []string{"prompt hi"}},
		"an empty prompt":  {keys: []string{"enter"}},
		"an answer":        {keys: []string{"2"}, asks: true, want: []string{"answer p1 once"}},
		"no Enter answers": {keys: []string{"enter", "y", "9"}, asks: true},
		"a prompt beside a request": {
			keys: []string{"tab", "1", "enter"}, asks: true, want: []string{"prompt 1"},
		},
		"an interrupt":  {keys: []string{"esc"}, want: []string{"cancel"}},
		"the next mode": {keys: []string{"shift+tab"}, want: []string{"set mode plan"}},
		"an earlier prompt": {
			keys: []string{"a", "enter", "ctrl+p"}, want: []string{"prompt a"}, text: "a",
		},
		"a command, as far as all agree": {keys: []string{"/", "c", "tab"}, text: "/compa"},
		"a command":                      {keys: []string{"/", "m", "tab"}, text: "/memory "},
	} {
		t.Run(name, func(t *testing.T) {
			c, a := talk()
			if one.asks {
				asks(c)
			}
			press(c, one.keys...)
			if !slices.Equal(a.done, one.want) || c.composer.Text() != one.text {
				t.Errorf("it did %q, and the composer holds %q", a.done, c.composer.Text())
			}
		})
	}
}

func TestADraftKeepsTheKeys(t *testing.T) {
	c, a := talk()
	press(c, "1")
	asks(c)
	press(c, "2", "enter")
	if want := []string{"prompt 12"}; !slices.Equal(a.done, want) {
		t.Errorf("it did %q", a.done)
	}
	c.Take(&acp.Event{Type: acp.Settled, Ask: &acp.Ask{Key: "p1"}})
	asks(c)
	press(c, "3")
	if want := "answer p1 no"; a.done[len(a.done)-1] != want {
		t.Errorf("it did %q", a.done)
	}
}

func TestTwoKeysEnd(t *testing.T) {
	c, _ := talk()
	press(c, "x", "ctrl+c")
	if c.composer.Text() != "" {
		t.Error("the draft stays")
	}
	ctrlC := tea.KeyMsg{Type: tea.KeyCtrlC}
	if c.Press(ctrlC) {
		t.Error("one key ends it")
	}
	if !c.Press(ctrlC) {
		t.Error("two keys do not end it")
	}
}

func TestWhatWaitsComesBack(t *testing.T) {
	c, a := talk()
	a.waits = []string{"then commit it"}
	press(c, "esc")
	if c.composer.Text() != "then commit it\n" || len(c.queue) > 0 {
		t.Errorf("the composer holds %q", c.composer.Text())
	}
}

// TestTheScreenIsForScreenReaders checks that words replace signs, that nothing changes as time goes by, and that the
// terminal's cursor is in the composer or, while a request waits, on that.
func TestTheScreenIsForScreenReaders(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {140, 40}, {200, 60}} {
		c, _ := talk()
		look := theme.New(theme.Options{Level: theme.Plain, Accessible: true})
		c.look, c.ink.look = look, look
		shown := func() (terminal.Frame, string) {
			var frame terminal.Frame
			frame.Set(look, size[0], c.Draw(layout.Rect{W: size[0], H: size[1]}))
			return frame, cells.Strip(strings.Join(frame.Sent, "\n"))
		}
		frame, text := shown()
		if line := cells.Strip(frame.Sent[frame.Cursor.Y]); !strings.HasPrefix(line, "> Type a prompt") {
			t.Errorf("%v: the cursor is in %q", size, line)
		}
		for _, want := range []string{"working tool since ", "(failed)", "now: Move the check"} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", size, want, text)
			}
		}
		c.now = func() time.Time { return noon.Add(time.Hour) }
		if _, later := shown(); later != text {
			t.Errorf("%v: time alone changed it:\n%s", size, later)
		}
		asks(c)
		frame, text = shown()
		if line := cells.Strip(frame.Sent[frame.Cursor.Y]); !strings.Contains(line, "Allow this?") {
			t.Errorf("%v: the cursor is in %q", size, line)
		}
		if strings.ContainsAny(text, "─━│┃┏┓┗┛█░●◆✓✕·") {
			t.Errorf("%v: signs are drawn:\n%s", size, text)
		}
	}
}
