package conversation

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/terminal"
)

func TestTheReplyOfAnAgentThatEndedIsWhatItsRecordHoldsLast(t *testing.T) {
	const unsure = "another agent in that folder may have written it, or this one has continued in another"
	for name, c := range map[string]struct {
		account transcript.Account
		screen  []string
		text    string
		why     string
	}{
		"in the middle of a turn": {
			account: transcript.Account{
				Identity: sure, Turn: transcript.Turn{Prompt: "fix it", Message: "Half of it."},
			},
			screen: []string{"$ "},
			text:   "Half of it.", why: "the agent ended before its turn did",
		},
		"before it said anything in its last turn": {
			account: transcript.Account{
				Identity: sure, Turn: transcript.Turn{Prompt: "again"},
				Earlier: transcript.Turn{Prompt: "fix it", Message: "Done."},
			}, screen: []string{"$ "},
			text: "Done.", why: "the agent ended before its turn did, and it has said nothing in it: this is its " +
				"message of the turn before",
		},
		"after its turn": {
			account: transcript.Account{
				Identity: sure,
				Turn:     transcript.Turn{Prompt: "fix it", Message: "Done.", Complete: true},
			},
			screen: []string{"Killed", "$ "}, text: "Done.",
		},
		"in a folder with others": {
			account: transcript.Account{Turn: transcript.Turn{Prompt: "fix it", Message: "Done.", Complete: true}},
			screen:  []string{"Killed", "$ "}, text: "Done.", why: unsure,
		},
	} {
		r := &Conversation{
			Account: c.account,
			Pane:    &core.Pane{Status: core.Status{State: core.Exited, Reason: core.ReasonKilled}},
		}
		r.screen = &terminal.Capture{Screen: &core.Screen{Lines: c.screen, Visible: len(c.screen)}}
		got := r.reply(unasked)
		if got.Text != c.text || got.Why != c.why || got.Complete != (c.why == "") || got.Source != FromTranscript {
			t.Errorf("%s: %+v", name, got)
		}
	}
	silent := &Conversation{Err: transcript.ErrNone, Pane: &core.Pane{Status: core.Status{State: core.Exited}}}
	if got := silent.reply(unasked); got.Complete || !strings.Contains(got.Why, "the agent has ended") {
		t.Errorf("without a record: %+v", got)
	}
}

func TestAnAgentThatWorksHasNotAnsweredItsLastPrompt(t *testing.T) {
	answered := &Conversation{Account: transcript.Account{
		Identity: sure, Turn: transcript.Turn{Message: "Done.", Complete: true},
	}}
	for status, complete := range map[*core.Status]bool{
		{State: core.Idle}:    true,
		{State: core.Working}: false,
		{State: core.Working, Notes: []core.Note{core.NoteSubagents}}: true,
	} {
		answered.Pane = &core.Pane{Status: *status}
		got := answered.reply(unasked)
		if got.Complete != complete || got.Text != "Done." || (got.Why == "") != complete {
			t.Errorf("%+v: %+v", *status, got)
		}
	}
}

// unasked knows of no prompt.
func unasked(*core.Pane, time.Time) []core.TakenPrompt { return nil }

// sure is the identity of a conversation that is certain to be the agent's.
var sure = transcript.Identity{Certain: true}
