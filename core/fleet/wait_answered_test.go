package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/transcript"
)

func TestARestCountsOnceTheLastPromptIsDealtWith(t *testing.T) {
	kinds := kindsOf(t, stub)
	claude, ok := kinds.Find("claude")
	if !ok {
		t.Fatal("no such kind")
	}
	stub, _ := kinds.Find("stub")
	prompt := Taken{Text: "say what the tests cover", Sent: noon.Add(-5 * time.Second), At: noon.Add(-4 * time.Second)}
	before, after := noon.Add(-time.Hour), noon.Add(-2*time.Second)
	for name, c := range map[string]struct {
		recorded recorded
		prompt   string
		since    time.Time
		worked   bool
		// failed is true for an error, of which the record says nothing.
		failed bool
		// waits is how long the rest does not count.
		waits time.Duration
	}{
		"answered on record":        {recorded: recorded{kind: claude, told: account(t, true, "say what the tests cover", "all")}, since: before},
		"on record, in its turn":    {recorded: recorded{kind: claude, told: account(t, true, "say what the tests cover", "")}, since: before, waits: 56 * time.Second},
		"not on record yet":         {recorded: recorded{kind: claude, told: account(t, true, "another prompt", "done")}, since: before, waits: 56 * time.Second},
		"worked, then stopped":      {recorded: recorded{kind: claude, told: account(t, true, "say what the tests cover", "")}, since: after, waits: 8 * time.Second},
		"without a record":          {recorded: recorded{kind: claude, err: transcript.ErrNone}, since: before, waits: 56 * time.Second},
		"without one, idle anew":    {recorded: recorded{kind: claude, err: transcript.ErrNone}, since: after, waits: 8 * time.Second},
		"without one, but worked":   {recorded: recorded{kind: claude, err: transcript.ErrNone}, since: before, worked: true},
		"perhaps another's record":  {recorded: recorded{kind: claude, told: account(t, false, "say what the tests cover", "all")}, since: before, waits: 56 * time.Second},
		"failed after it":           {recorded: recorded{kind: claude, told: account(t, true, "say what the tests cover", "")}, since: after, failed: true},
		"failed before it":          {recorded: recorded{kind: claude, told: account(t, true, "another prompt", "done")}, since: before, failed: true, waits: 56 * time.Second},
		"a command":                 {recorded: recorded{kind: claude, told: account(t, true, "another prompt", "done")}, prompt: "/compact", since: before},
		"of a kind without records": {recorded: recorded{kind: stub, err: transcript.ErrNone}, since: before},
	} {
		p := &awaited{calm: c.since, worked: c.worked, left: c.worked}
		if c.failed {
			p.calm, p.trouble = time.Time{}, c.since
		}
		taken, now, waited := prompt, noon, time.Duration(0)
		if c.prompt != "" {
			taken.Text = c.prompt
		}
		c.recorded.pane = &core.Pane{}
		for p.weigh(taken, &c.recorded, now); p.unanswered.After(now); p.weigh(taken, &c.recorded, now) {
			waited, now = p.unanswered.Sub(noon), p.unanswered
		}
		if waited != c.waits {
			t.Errorf("%s: %v, not %v", name, waited, c.waits)
		}
	}
}

// account is what a record of Claude's says of its last turn, which has ended if it said
// something.
func account(t *testing.T, certain bool, prompt, message string) transcript.Account {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.jsonl")
	text := fmt.Sprintf(`{"type":"user","timestamp":"%s","message":{"role":"user","content":%q}}`+"\n", noon.Add(-5*time.Second).Format(time.RFC3339), prompt)
	if message != "" {
		text += fmt.Sprintf(`{"type":"assistant","message":{"id":"m","model":"opus","stop_reason":"end_turn","content":[{"type":"text","text":%q}]}}`+"\n", message)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	told, err := transcript.ReadPath(t.Context(), "claude", path, "")
	if err != nil {
		t.Fatal(err)
	}
	told.Certain = certain
	return told
}
