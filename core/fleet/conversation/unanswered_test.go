package conversation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/conversation"
)

// TestPromptsThatAreNotAnsweredAreKnown has an agent that was lost in a turn, with prompts behind it.
func TestPromptsThatAreNotAnsweredAreKnown(t *testing.T) {
	const id = "11111111-aaaa-4000-8000-000000000001"
	home, dir := t.TempDir(), "/src/api"
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Find("claude")
	now := time.Now().UTC().Truncate(time.Second)
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes-60) * time.Minute) }
	folder := filepath.Join(home, ".claude", "projects", "-src-api")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	said := func(minutes int, kind, message string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":%q,"timestamp":%q,"cwd":%q,"message":%s}`, kind, id,
			at(minutes).Format("2006-01-02T15:04:05.000Z"), dir, message)
	}
	user := func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }
	answer := `{"role":"assistant","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}`
	first := []string{said(1, "user", user("first")), said(2, "assistant", answer)}
	prompt := func(minutes int, text string) core.TakenPrompt {
		return core.TakenPrompt{ID: "p-" + text, Text: text, Sent: at(minutes), At: at(minutes)}
	}
	for name, c := range map[string]struct {
		record []string
		asked  []core.TakenPrompt // the newest first
		want   string
	}{
		"all are answered": {first, []core.TakenPrompt{prompt(1, "first")}, ""},
		"one was cut off": {
			append(first, said(3, "user", user("second"))),
			[]core.TakenPrompt{prompt(3, "second"), prompt(1, "first")},
			"p-second started",
		},
		"others waited behind it": {
			append(first, said(3, "user", user("second"))),
			[]core.TakenPrompt{prompt(5, "fourth"), prompt(4, "third"), prompt(3, "second"), prompt(1, "first")},
			"p-second started, p-third, p-fourth",
		},
		"commands are no prompts": {first, []core.TakenPrompt{prompt(4, "/compact"), prompt(1, "first")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, id+".jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(c.record, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			place := transcript.Subject{
				Kind: kind.ID, Dir: dir, Started: at(0), Launched: id, Now: now, Command: kind.TakesForCommand,
				Env:   func(name string) string { return map[string]string{"HOME": home}[name] },
				Asked: func() []core.TakenPrompt { return c.asked },
				Peers: func() []*transcript.Subject { return nil },
			}
			found := conversation.ResumableOf(t.Context(), place.Shared(), kind, func() *core.Screen { return nil })
			var got []string
			for _, one := range found.Unanswered {
				word := one.ID
				if one.Started {
					word += " started"
				}
				got = append(got, word)
			}
			if found.Session != id || strings.Join(got, ", ") != c.want {
				t.Errorf("in %q, %q is not answered; want %q (%+v)", found.Session, got, c.want, found)
			}
		})
	}
}
