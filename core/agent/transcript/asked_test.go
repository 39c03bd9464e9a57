package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
)

// geminis makes the home of two agents that work in one folder, and returns the place
// of one. Records are by name.
func geminis(t *testing.T, records map[string]string) (transcript.Subject, string) {
	t.Helper()
	home := t.TempDir()
	chats := filepath.Join(home, ".gemini", "tmp", "work", "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	put := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(filepath.Dir(chats), ".project_root"), "/src/api")
	for name, text := range records {
		put(filepath.Join(chats, "session-"+name+".jsonl"), text)
	}
	env := func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}
	return transcript.Subject{Kind: "gemini", Dir: "/src/api", Env: env, Started: time.Now().Add(-time.Hour)}, chats
}

// said is a record of a session with some prompts.
func said(id string, prompts ...string) string {
	text := `{"sessionId":"` + id + `","startTime":"2026-11-20T12:00:30Z"}` + "\n"
	for _, prompt := range prompts {
		text += `{"type":"user","content":[{"text":"` + prompt + `"}]}` + "\n" + `{"type":"gemini","content":"Yes."}` +
			"\n"
	}
	return text
}

func TestASessionIsKnownByWhatItsAgentWasAsked(t *testing.T) {
	const one, two = "11111111-aaaa", "22222222-bbbb"
	records := map[string]string{
		"x-11111111": said(one, "hello", "look at the parser"),
		"y-22222222": said(two, "hello", "look at the printer"),
	}
	for name, c := range map[string]struct {
		asked    []string
		launched string
		session  string
		certain  bool
	}{
		"by a prompt of its own":     {[]string{"look at the printer", "hello"}, "", two, true},
		"by the id of its start":     {[]string{"hello"}, one, one, true},
		"it has gone to another one": {[]string{"look at the printer"}, one, two, true},
		"by what both were asked":    {[]string{"hello"}, "", "", false},
		"by nothing that is there":   {[]string{"something else"}, "", "", false},
	} {
		place, _ := geminis(t, records)
		place.Asked, place.Launched = func() (taken []core.TakenPrompt) {
			for _, text := range c.asked {
				taken = append(taken, core.TakenPrompt{Text: text})
			}
			return taken
		}, c.launched
		result, err := transcript.Read(t.Context(), &place)
		if err != nil || result.Certain != c.certain || c.certain && result.Session != c.session {
			t.Errorf("%s: %q, certain %t, %v", name, result.Session, result.Certain, err)
		}
	}
}

func TestARecordThatSaysNothingIsTakenAwayBesideOneThatDoes(t *testing.T) {
	place, chats := geminis(t, map[string]string{
		"a-11111111": said("11111111-aaaa", "hello"), "b-11111111": said("11111111-aaaa"),
		"a-22222222": said("22222222-bbbb"),
	})
	if result, err := transcript.Read(t.Context(),
		&transcript.Subject{Kind: "gemini", Dir: "/src/api", Env: place.Env, Session: "11111111-aaaa"}); err != nil ||
		result.Turn.Prompt != "hello" || result.Started.Second() != 30 {
		t.Errorf("%+v, %v", result, err)
	}
	if err := transcript.Tidy(&place); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a-11111111": true, "b-11111111": false, "a-22222222": true} {
		if _, err := os.Stat(filepath.Join(chats, "session-"+name+".jsonl")); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestARecordGetsItsHeadingBack has a Gemini continue in a record that another one deleted at its start.
func TestARecordGetsItsHeadingBack(t *testing.T) {
	const session = "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
	whole := said(session, "look at the printer")
	_, headless, _ := strings.Cut(whole, "\n")
	headless = strings.Replace(headless, "{", `{"timestamp":"2026-11-20T12:00:30Z",`, 1)
	place, chats := geminis(t, map[string]string{
		"a-11111111": headless, "a-22222222": said("22222222-bbbb", "hello"), "a-33333333": headless,
	})
	place.Session = "22222222-bbbb"
	place.Peers = func() []*transcript.Subject {
		return []*transcript.Subject{{Kind: "gemini", Dir: place.Dir, Env: place.Env, Launched: session}}
	}
	own := &transcript.Subject{Kind: "gemini", Dir: place.Dir, Env: place.Env, Launched: session}
	if result, err := transcript.Read(t.Context(), own); err != nil || result.Session != session || !result.Certain {
		t.Errorf("before: %+v, %v", result.Identity, err)
	}
	for range 2 {
		if err := transcript.Tidy(&place); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"a-11111111": 1, "a-22222222": 1, "a-33333333": 0} {
		text, err := os.ReadFile(filepath.Join(chats, "session-"+name+".jsonl"))
		if got := strings.Count(string(text), `"sessionId":"`); err != nil || got != want {
			t.Errorf("%s has %d headings, %v:\n%s", name, got, err, text)
		}
	}
	if started := transcript.Started(&place, session); started.IsZero() {
		t.Error("the restored heading is not read")
	}
}
