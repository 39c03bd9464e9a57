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

// seen is the state that a kind reads on the screen of a case.
func seen(kind *agent.Kind, c *kindfile.Case) string {
	reading := kind.Read(c.Screen())
	if block, open := reading.Blocked(); open {
		return "waiting-" + string(block.Reason)
	}
	if _, works := reading.Working(); works {
		return string(core.Working)
	}
	if reading.Ready() {
		return string(core.Idle)
	}
	return ""
}

// What is derived from a few screens of a program reads those screens, and most of the others.
func TestDerivedRulesReadWhatWasRecorded(t *testing.T) {
	asked, right := 0, 0
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
			if got := seen(kind, &taught[i]); got == taught[i].Label() {
				right++
			} else {
				t.Logf("%s: %s is read as %q (%s)", name, taught[i].Label(), got,
					kind.Read(taught[i].Screen()).Unfound())
			}
		}
		for i := range others {
			if got := seen(kind, &others[i]); got != others[i].Label() {
				t.Logf("%s: another %s is read as %q", name, others[i].Label(), got)
			}
		}
		if again, _ := kindfile.Derive("mine", "A kind.", []string{"mine"}, slices.Clone(taught)); again != text {
			t.Errorf("%s: the same cases give another file", name)
		}
	}
	t.Logf("%d of %d", right, asked)
	if asked < 20 || right*100 < asked*85 {
		t.Errorf("%d of %d screens are read as they were recorded", right, asked)
	}
}
