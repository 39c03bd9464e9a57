package kindfile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/kindfile"
)

// states are the labels of recordings that a user would record, and what they are.
var states = map[string]kindfile.Case{
	"idle_fresh": {State: core.Idle}, "idle_after_answer": {State: core.Idle},
	"working": {State: core.Working}, "working_streaming": {State: core.Working},
	"working_tool":       {State: core.Working},
	"waiting_permission": {State: core.Waiting, Reason: core.ReasonApproval},
}

// recorded are the cases of a kind among the recordings of package agent.
func recorded(t *testing.T) map[string][]kindfile.Case {
	t.Helper()
	root := filepath.Join("..", "testdata", "screens")
	index, err := os.Open(filepath.Join(root, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	cases := map[string][]kindfile.Case{}
	for lines := bufio.NewScanner(index); lines.Scan(); {
		var row struct {
			File, Agent, State, Size, Title string
			Alternate                       bool `json:"alternate_on"`
			Cursor                          [3]any
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		c, wanted := states[row.State]
		if !wanted {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, row.File+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		c.Lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		c.Title, c.Alternate = row.Title, row.Alternate
		if _, err := fmt.Sscanf(row.Size, "%dx%d", &c.Width, &c.Height); err != nil {
			t.Fatal(err)
		}
		x, _ := row.Cursor[0].(float64)
		y, _ := row.Cursor[1].(float64)
		visible, _ := row.Cursor[2].(bool)
		c.Cursor = core.Cursor{X: int(x), Y: int(y), Visible: visible}
		cases[row.Agent] = append(cases[row.Agent], c)
	}
	return cases
}

// What is derived from a few screens of a program reads those screens, and most of the others.
func TestDerivedRulesReadWhatWasRecorded(t *testing.T) {
	asked, unseen, right := 0, 0, 0
	for name, cases := range recorded(t) {
		var taught, others []kindfile.Case
		count := map[string]int{}
		for _, c := range cases {
			count[c.Label()]++
			if count[c.Label()] <= 2 {
				taught = append(taught, c)
			} else {
				others = append(others, c)
			}
		}
		text, notes := kindfile.Derive("mine", "A kind.", []string{"mine"}, taught)
		kind := read(t, "mine", text)
		if kind == nil {
			continue
		}
		for _, note := range notes {
			t.Logf("%s: %s", name, note)
		}
		for i := range taught {
			asked++
			if got := kindfile.ReadCase(kind, &taught[i]); !got.Right {
				t.Errorf("%s: %s is read as %s (%s)", name, taught[i].Label(), got.Label(),
					kind.Read(taught[i].Screen()).Unfound())
			}
		}
		for i := range others {
			switch got := kindfile.ReadCase(kind, &others[i]); {
			case got.Right:
				right++
			case got.State != core.Unknown: // a layout that was not recorded is better not read than read wrong
				t.Errorf("%s: another %s is read as %s", name, others[i].Label(), got.Label())
			default:
				t.Logf("%s: another %s: %s", name, others[i].Label(), kind.Read(others[i].Screen()).Unfound())
			}
		}
		unseen += len(others)
		if again, _ := kindfile.Derive("mine", "A kind.", []string{"mine"}, slices.Clone(taught)); again != text {
			t.Errorf("%s: the same cases give another file", name)
		}
	}
	t.Logf("%d of %d others are right", right, unseen)
	if asked < 20 || right*100 < unseen*80 {
		t.Errorf("%d screens were learnt, %d of %d others are read as they were recorded", asked, right, unseen)
	}
}

// lines is a screen of a program that prints line by line, with the cursor at its end.
func lines(state core.State, reason core.Reason, rows ...string) kindfile.Case {
	last := rows[len(rows)-1]
	return kindfile.Case{
		State: state, Reason: reason, Width: 80, Height: len(rows), Lines: rows,
		Cursor: core.Cursor{X: len([]rune(last)), Y: len(rows) - 1, Visible: true},
	}
}

// lineProgram are the screens of a program that asks in writing, and whose questions stay on the screen.
var lineProgram = []kindfile.Case{
	lines(core.Idle, "", "Robo 1.0", "", "robo> "),
	lines(core.Working, "", "> slow one", "⠹ Thinking (1s, esc to interrupt)"),
	lines(core.Idle, "", "> slow one", "* Answer to slow one", "", "robo> "),
	lines(core.Waiting, core.ReasonApproval, "> run it", "Command: touch x", "Run this command? [y/N] "),
	lines(core.Working, "", "> run it", "Command: touch x", "Run this command? [y/N] y", "ran it",
		"⠹ Working (1s, esc to interrupt)"),
}

func TestWhatStaysOnTheScreenProvesNothingLater(t *testing.T) {
	text, notes := kindfile.Derive("robo", "A kind.", []string{"robo"}, lineProgram)
	kind := read(t, "robo", text)
	if kind == nil || len(notes) > 0 {
		t.Fatalf("%q\n%s", notes, text)
	}
	for i := range lineProgram {
		if got := kindfile.ReadCase(kind, &lineProgram[i]); !got.Right {
			t.Errorf("%s is read as %s\n%s", lineProgram[i].Label(), got.Label(), text)
		}
	}
	later := lines(core.Working, "", "> run it", "⠙ Pondering (12s, esc to interrupt)")
	if got := kindfile.ReadCase(kind, &later); !got.Right {
		t.Errorf("another word for work is read as %s\n%s", got.Label(), text)
	}
	draft := lines(core.Idle, "", "robo> run it", "Shall I? Type anything")
	if composer, found := kind.Read(draft.Screen()).Composer(); found {
		t.Errorf("a row below the prompt is taken for the draft %q", composer.Draft)
	}
}

func TestARuleWithoutOptionsLeavesThemToTheGeneralReader(t *testing.T) {
	screen := lines(core.Waiting, core.ReasonApproval, "────────", "> run it", "────────", "Command: touch x",
		"Run this command? [y/N] ")
	for _, composer := range []string{"", "[composer]\nbottom = '^──+'\ntop = '^──+'\nprompt = '^> ?'\nmore = '^'\n"} {
		kind := read(t, "robo", "[launch]\ncommand = [\"robo\"]\n"+composer+"[rule.asks]\nstate = \"waiting\"\n"+
			"reason = \"approval\"\nregion = \"bottom\"\nall = ['^Run this']\n")
		dialog, open := kind.Read(screen.Screen()).Dialog()
		yes, found := dialog.Choice(agent.Approves)
		if !open || len(dialog.Options) != 2 || !found || strings.Join(yes.Keys, " ") != "y Enter" {
			t.Errorf("open %v, options %+v", open, dialog.Options)
		}
	}
}

// TestTheBoxIsTheSameWhereverTheCursorIs derives the input box from one screen with the cursor in different columns.
func TestTheBoxIsTheSameWhereverTheCursorIs(t *testing.T) {
	for _, column := range []int{0, 2, 7} {
		idle := lines(core.Idle, "", "Robo 1.0", "────────", "> draft", "────────", "  ? for help")
		idle.Cursor = core.Cursor{X: column, Y: 2}
		text, notes := kindfile.Derive("robo", "A kind.", []string{"robo"}, []kindfile.Case{idle})
		if !strings.Contains(text, "prompt = '^> ?'\nmore = '^ {2}'\n") || len(notes) > 0 {
			t.Errorf("column %d: %q\n%s", column, notes, text)
		}
	}
}

func TestACaseThatNothingTellsIsSaid(t *testing.T) {
	cases := append(slices.Clone(lineProgram[:1]), lines(core.Working, "", "Robo 1.0", "", "--", "robo> "))
	text, notes := kindfile.Derive("robo", "A kind.", nil, cases)
	if len(notes) != 1 || !strings.Contains(notes[0], "case 2, working") || strings.Contains(text, "[rule.") {
		t.Errorf("%q\n%s", notes, text)
	}
}
