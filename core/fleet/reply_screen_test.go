package fleet_test

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

func TestScreenReplyIsTextBelowLastPrompt(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("─", 40)
	qwen := func(rows ...string) []string {
		return append(rows, line, ">   Type your message or @path/to/file", line, "  ? for shortcuts")
	}
	const generic, unending = "generic", "it is not known whether the turn has ended"
	for name, c := range map[string]struct {
		kind   string
		screen []string
		asked  string
		text   string
		// prompt is the prompt that the text answers.
		prompt, why string
		source      string
	}{
		"marked by the agent": {
			kind: "qwen", screen: qwen("  > one", "  ✦ 1", "", "  > two", "  ✦ 2", "    and", ""),
			text: "2\nand", prompt: "two", source: conversation.FromScreen,
		},
		"while it works": {
			kind: "qwen", screen: qwen("  > one", "  ✦ 1", "", "  > two", "",
				"  ..  Trying to exit Vim... (3s · ↓ 28 tokens · esc to cancel)", ""), text: "1", prompt: "one",
			source: conversation.FromScreen,
			why: "the turn has not ended, and it has said nothing in answer to the last prompt: this is its message " +
				"of the turn before",
		},
		"before the first prompt": {
			kind: "qwen", screen: qwen(" >_ Qwen Code (v0.15.10)", ""),
			why: "it has said nothing yet",
		},
		"a program that waits": {
			kind: generic, screen: []string{">>> 1 + 1", "2", ">>> 2 * 2", "4", ">>> ", "", ""},
			asked: "2 * 2", text: "4", prompt: "2 * 2", source: conversation.FromScreen,
		},
		"an unknown program": {
			kind: generic, screen: []string{"old", "hello", "hello", "", ""}, asked: "hello", text: "hello",
			prompt: "hello", why: unending, source: conversation.FromScreen,
		},
		"a prompt that was wrapped": {
			kind: generic, screen: []string{"> do this and", "then that", "Done.", "", ""},
			asked: "do this and then that", text: "Done.", prompt: "do this and then that", why: unending,
			source: conversation.FromScreen,
		},
		"nothing said": {
			kind: generic, screen: []string{"> hello", "Hi.", "> again", "", ""}, asked: "again",
			prompt: "again", why: unending + ", and it has said nothing in answer to the last prompt",
		},
		"a prompt out of sight": {
			kind: generic, screen: []string{"and so on", "", ""}, asked: "hello", text: "and so on",
			why: "there is no transcript of it, so this is the text of its screen", source: conversation.FromScreen,
		},
		"an agent that was never prompted": {
			kind: "claude",
			screen: []string{
				" ▐▛███▜▌   Claude Code v2.1.329", "▝▜█████▛▘  Opus", "", line,
				"❯ Try \"fix lint errors\"", line, "  ? for shortcuts",
			}, why: "it has said nothing yet",
		},
		"an agent that the user prompted": {
			kind: "claude", screen: []string{
				" ▐▛███▜▌   Claude Code v2.1.329", "❯ hello", "● Hi.", line, "❯ ", line,
				"  ? for shortcuts",
			}, why: "there is no transcript of it, so this is the text of its screen",
			text: " ▐▛███▜▌   Claude Code v2.1.329\n❯ hello\n● Hi.", source: conversation.FromScreen,
		},
		"an agent whose transcript is not known": {
			kind: "claude", screen: []string{
				"❯ hello", "● Hi.", "❯ again", "● Hi again.", line, "❯ ", line,
				"  ? for shortcuts",
			}, asked: "again", text: "● Hi again.", prompt: "again",
			source: conversation.FromScreen,
			why:    "its screen does not separate its last message from the rest of the turn",
		},
	} {
		pane := fleettest.Row("$1", "%1", c.kind, engine.TagKind, c.kind, engine.TagName, "x_1", engine.TagOrdinal, "1",
			engine.TagRole, panetag.RoleAgent)
		p := &fleettest.Engine{
			Listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{pane}},
			Screens: map[core.PaneID][]string{"%1": c.screen},
		}
		f := openFake(t, p, func(o *fleet.Options) {
			if c.asked != "" {
				o.Journal = &fleettest.Journal{Took: []string{c.asked}}
			}
		})
		replies, err := f.Conversations.Replies(t.Context(), resolve.Target{Session: "api"})
		if err != nil || len(replies) != 1 {
			t.Fatalf("%s: %+v, %v", name, replies, err)
		}
		if got := replies[0]; got.Text != c.text || got.Prompt != c.prompt || got.Why != c.why ||
			got.Source != c.source || got.Complete != (c.why == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAReplyReachesIntoTheHistory(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "long", lifecycle.LaunchRequest{Commands: []string{"echo '> count'; seq 300; exec sleep 1000"}})
	th.reopen(func(o *fleet.Options) { o.Journal = &fleettest.Journal{Took: []string{"count"}} })
	var got conversation.Reply
	enginetest.Eventually(t, testTimeout, func() bool {
		replies, err := th.Conversations.Replies(t.Context(), resolve.Target{Session: "long"})
		if err != nil || len(replies) != 1 {
			t.Fatalf("%+v, %v", replies, err)
		}
		got = replies[0]
		return strings.HasPrefix(got.Text, "1\n2\n") && strings.HasSuffix(got.Text, "\n299\n300")
	}, func() string { return got.Text })
	if got.Source != conversation.FromScreen || got.Prompt != "count" {
		t.Errorf("%+v", got)
	}
}
