//go:build agents

package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
)

// allKinds are the kinds whose programs the harness runs.
var allKinds = []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}

// payloads are prompts with a token that agents may take for something else than
// words.
var payloads = []struct{ name, text string }{
	{"plain", "hello TOKEN"},
	{"dollar at the end", "TOKEN cost $"},
	{"dollar word", "TOKEN cost $im"},
	{"file pop-up", "TOKEN look at @READ"},
	{"at alone", "TOKEN mail @"},
	{"file", "TOKEN look at @README.md"},
	{"file inside", "look at @README.md TOKEN and go on"},
	{"absolute file", "TOKEN see @/etc/hostname"},
	{"hash pop-up", "TOKEN issue #1"},
	{"hash alone", "TOKEN issue #"},
	{"slash at the end", "TOKEN and /"},
	{"command at the end", "TOKEN and /hel"},
	{"shell", "!echo TOKEN"},
	{"shell lines", "!echo TOKEN\nls"},
	{"blank shell", " !echo TOKEN"},
	{"command word", "/word TOKEN"},
	{"real command", "/help TOKEN"},
	{"command lines", "/compact TOKEN\nand more"},
	{"path", "/tmp/TOKEN/file"},
	{"comment", "// TOKEN a comment"},
	{"memory", "#TOKEN remember"},
	{"background", "&TOKEN in the background"},
	{"question mark", "? TOKEN"},
	{"mention first", "@TOKEN do it"},
	{"dollar first", "$TOKEN do it"},
	{"tilde", "~/TOKEN"},
	{"backslash", "TOKEN ends in \\"},
	{"two backslashes", "TOKEN ends in \\\\"},
	{"backslash lines", "TOKEN a \\\nb \\"},
	{"tabs", "TOKEN a\tb\tc"},
	{"makefile", "TOKEN\nall:\n\tgo build\n\t\tindented\n"},
	{"CRLF", "TOKEN one\r\ntwo\r\nthree\r\n"},
	{"zero width", "TOKEN a\u200bb\u200dc\ufeffd"},
	{"emoji name", "TOKEN :smi"},
	{"emoji name closed", "TOKEN :smile: and :+1: done"},
	{"emoji", "TOKEN 👩‍👩‍👧 🇩🇪 é e\u0301 שלום 日本語"},
	{"blank lines", "TOKEN\n\n\n\nafter blanks"},
	{"trailing blanks", "TOKEN ends in blanks   \n  \n"},
	{"fence", "TOKEN\n```go\nfunc main() {\n\tprintln(`x`)\n}\n```"},
	{"placeholders", "TOKEN [Pasted text #1 +3 lines] [Image #1] {{args}} !{ls} ${HOME}"},
	{"markup", "TOKEN <b>bold</b> &amp; <pasted_content>x</pasted_content>"},
	{"many lines", "TOKEN\n" + strings.Repeat("a line of a longer prompt\n", 40) + "the end @READ"},
	{"long line", "TOKEN " + strings.Repeat("0123456789 ", 900) + "$"},
	{"quotes", "TOKEN 'single' \"double\" `id` $(id) %s \\n \\t \\u0041"},
	{"options", "--help TOKEN -p x"},
	{"digit first", "1 TOKEN"},
	{"colon first", ":q TOKEN"},
	{"shell at the end", "!echo TOKEN look at @READ"},
	{"command with a mention", "/help TOKEN mail @"},
	{"long command", "/help TOKEN " + strings.Repeat("word ", 220)},
	{"long shell", "!echo TOKEN " + strings.Repeat("word ", 220)},
	{"many shell lines", "!echo TOKEN" + strings.Repeat("\nls", 12)},
	{"many command lines", "/help TOKEN" + strings.Repeat("\nmore", 12)},
	{"command after blanks", "  /help TOKEN"},
	{"mention and backslash", "see @README.md TOKEN and \\@README.md"},
	{"bare command", "/help"},
	{"bare word", "/TOKEN"},
	{"bare shell", "!"},
	{"exit", "exit"},
	{"quit", "/quit"},
	{"colon q", ":q"},
}

func TestRealAgentsTakeEveryPayload(t *testing.T) {
	only := os.Getenv("CUPOLA_PAYLOADS")
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) {
			r := hire(t, kind)
			if err := os.WriteFile(filepath.Join(r.dir, "README.md"), []byte("# A project\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			defer func() { t.Logf("\n%s", strings.Join(r.tally, "\n")) }()
			r.start(t)
			for _, p := range payloads {
				if only == "" || strings.Contains(p.name, only) {
					r.payload(t, p.name, p.text)
				}
			}
		})
	}
}

func (r *hired) payload(t *testing.T, name, text string) {
	t.Helper()
	mark, before := fleettest.Token(), 0
	if !strings.Contains(text, "TOKEN") {
		mark, before = text, len(r.harness.Received(t, text))
	}
	text = strings.ReplaceAll(text, "TOKEN", mark)
	sent, err := r.Send(t.Context(), fleet.SendRequest{Target: fleet.Target{Session: "real.1"}, Text: text, ReplaceDraft: true})
	if len(sent.Deliveries) == 0 {
		t.Errorf("%s: %v", name, err)
		return
	}
	d := sent.Deliveries[0]
	var got []string
	deadline := time.Now().Add(8 * time.Second)
	for len(got) == 0 && time.Now().Before(deadline) && err == nil {
		time.Sleep(200 * time.Millisecond)
		got = r.harness.Received(t, mark)[before:]
	}
	verdict := "EXACT"
	want := strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case len(got) == 0:
		verdict = "NOTHING"
	case len(got) > 1:
		verdict = "TWICE"
	case got[0] != want:
		verdict = "CHANGED"
	}
	line := fmt.Sprintf("%-8s %-20s %-8s %-11s enters %d %5d ms: %s", r.kind, name, verdict, d.Outcome, d.Enters, d.ElapsedMS, d.Evidence)
	if verdict == "CHANGED" || verdict == "TWICE" {
		line += fmt.Sprintf("\n    got %.300q\n    want %.300q", got, want)
	}
	r.tally = append(r.tally, line)
	fmt.Println(line)
	if verdict == "NOTHING" {
		r.tally = append(r.tally, r.screen(t))
	}
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); {
		s := r.state(t).State
		if s == core.Idle {
			break
		}
		if s == core.Waiting || s == core.Exited {
			fmt.Println("   then", s, r.state(t).Reason)
			r.press(t, "Escape")
		}
		time.Sleep(300 * time.Millisecond)
	}
}
