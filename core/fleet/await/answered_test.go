package await

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
)

func TestARestCountsOnceTheLastPromptIsDealtWith(t *testing.T) {
	kinds := fleettest.Kinds(t, fleettest.StubKind)
	claude, ok := kinds.Find("claude")
	if !ok {
		t.Fatal("no such kind")
	}
	stub, _ := kinds.Find("stub")
	prompt := core.TakenPrompt{
		Text: "say what the tests cover",
		Sent: fleettest.Noon.Add(-5 * time.Second), At: fleettest.Noon.Add(-4 * time.Second),
	}
	recorded := func(prompt, message string) conversation.Conversation {
		return conversation.Conversation{Kind: claude, Account: account(t, true, prompt, message)}
	}
	unsure := conversation.Conversation{Kind: claude, Account: account(t, false, prompt.Text, "all")}
	none := conversation.Conversation{Kind: claude, Err: transcript.ErrNone}
	other, unkept := recorded("another prompt", "done"), conversation.Conversation{Kind: stub, Err: transcript.ErrNone}
	before, after := fleettest.Noon.Add(-time.Hour), fleettest.Noon.Add(-2*time.Second)
	for name, c := range map[string]struct {
		record conversation.Conversation
		prompt string
		since  time.Time
		worked bool
		// failed is true for an error, which the record does not mention.
		failed bool
		// waits is how long the rest does not count.
		waits time.Duration
	}{
		"answered on record":        {record: recorded(prompt.Text, "all"), since: before},
		"on record, in its turn":    {record: recorded(prompt.Text, ""), since: before, waits: 56 * time.Second},
		"not on record yet":         {record: other, since: before, waits: 56 * time.Second},
		"worked, then stopped":      {record: recorded(prompt.Text, ""), since: after, waits: 8 * time.Second},
		"without a record":          {record: none, since: before, waits: 56 * time.Second},
		"without one, idle anew":    {record: none, since: after, waits: 8 * time.Second},
		"without one, but worked":   {record: none, since: before, worked: true},
		"perhaps another's record":  {record: unsure, since: before, waits: 56 * time.Second},
		"failed after it":           {record: recorded(prompt.Text, ""), since: after, failed: true},
		"failed before it":          {record: other, since: before, failed: true, waits: 56 * time.Second},
		"a command":                 {record: other, prompt: "/compact", since: before},
		"of a kind without records": {record: unkept, since: before},
	} {
		p := &awaited{idleSince: c.since, worked: c.worked, left: c.worked}
		if c.failed {
			p.idleSince, p.failedSince = time.Time{}, c.since
		}
		taken, now, waited := prompt, fleettest.Noon, time.Duration(0)
		if c.prompt != "" {
			taken.Text = c.prompt
		}
		c.record.Pane = &core.Pane{}
		for p.weigh(taken, &c.record, now); p.unanswered.After(now); p.weigh(taken, &c.record, now) {
			waited, now = p.unanswered.Sub(fleettest.Noon), p.unanswered
		}
		if waited != c.waits {
			t.Errorf("%s: %v, not %v", name, waited, c.waits)
		}
	}
}

// TestAnAgentThatIsSlowToBeginIsWaitedForOnceItNoLongerCountsAsAsked gives an agent a prompt that its screen does not
// show: after a while it is idle again, with a turn on record that has not ended.
func TestAnAgentThatIsSlowToBeginIsWaitedForOnceItNoLongerCountsAsAsked(t *testing.T) {
	claude, _ := fleettest.Kinds(t, fleettest.StubKind).Find("claude")
	prompt := core.TakenPrompt{Text: "say what the tests cover", Sent: fleettest.Noon, At: fleettest.Noon}
	for name, c := range map[string]struct {
		states []core.Status
		waits  time.Duration
	}{
		"it showed nothing": {
			[]core.Status{{State: core.Working, Reason: core.ReasonAsked}}, conversation.BeginsWithin,
		},
		"it has worked": {[]core.Status{
			{State: core.Working, Reason: core.ReasonAsked},
			{State: core.Working},
			{State: core.Working, Reason: core.ReasonAsked},
		}, 5*time.Second + recordsWithin},
	} {
		now := fleettest.Noon
		w := &wait{Waiter: waiterOver(t, &fleettest.Engine{}, func() time.Time { return now })}
		p := &awaited{}
		for _, status := range c.states {
			status.Since = now
			w.pass(p, status)
		}
		now = now.Add(5 * time.Second)
		w.pass(p, core.Status{State: core.Idle, Since: now})
		record := conversation.Conversation{
			Pane: &core.Pane{}, Kind: claude, Account: account(t, true, prompt.Text, ""),
		}
		for p.weigh(prompt, &record, now); p.unanswered.After(now); p.weigh(prompt, &record, now) {
			now = p.unanswered
		}
		if waited := now.Sub(fleettest.Noon); waited != c.waits {
			t.Errorf("%s: the rest counts after %v, not %v", name, waited, c.waits)
		}
	}
}

// account returns a record of Claude's with one turn, which has ended if it has a message.
func account(t *testing.T, certain bool, prompt, message string) transcript.Account {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.jsonl")
	asked := fleettest.Noon.Add(-5 * time.Second).Format(time.RFC3339)
	text := fmt.Sprintf(`{"type":"user","timestamp":"%s","message":{"role":"user","content":%q}}`+"\n", asked, prompt)
	if message != "" {
		const said = `{"type":"assistant","message":{"id":"m","model":"opus","stop_reason":"end_turn",` +
			`"content":[{"type":"text","text":%q}]}}` + "\n"
		text += fmt.Sprintf(said, message)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	account, err := transcript.ReadPath(t.Context(), "claude", path, "")
	if err != nil {
		t.Fatal(err)
	}
	account.Certain = certain
	return account
}
