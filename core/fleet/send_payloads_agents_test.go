//go:build agents

package fleet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
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
	{"absolute file", "TOKEN see @/nowhere/hostname"},
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
	{"markup", "TOKEN a < b && c > d &amp; </div>"},
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
	{"20 KB", "TOKEN\n" + strings.Repeat("0123456789 abcdef, and so on. ", 680) + "\nthe end"},
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

// payload sends a prompt, and wants the model to get it once and as it was, or the answer
// to say what became of it.
func (r *hired) payload(t *testing.T, name, text string) {
	t.Helper()
	mark, alone := fleettest.Token(), !strings.Contains(text, "TOKEN")
	text = strings.ReplaceAll(text, "TOKEN", mark)
	sent, err := r.Sender.Send(t.Context(), deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: text})
	if len(sent.Deliveries) != 1 {
		t.Errorf("%s: %v", name, err)
		return
	}
	d := sent.Deliveries[0]
	want := strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	var got []string
	capture := func() {
		if alone {
			// The prompt before may have the same words in it, and is the last one until this one is recorded.
			got = r.recorded(t, func(prompt string) bool { return sameButFor(prompt, want, d.Saw()) })
		} else if got = r.harness.Received(t, mark); len(got) == 0 && strings.Contains(text, "@") {
			// The model got it in front of the file.
			got = r.recorded(t, func(prompt string) bool { return strings.Contains(prompt, mark) })
		}
	}
	for end := time.Now().Add(8 * time.Second); len(got) == 0 && !d.Outcome.Failed() &&
		time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		capture()
	}
	r.rests(t)
	if len(got) == 0 && !d.Outcome.Failed() {
		capture() // the record may be written late
	}
	r.note(name, d, len(got))
	switch {
	case d.Outcome == core.Refused && d.Why == "command" && len(got) == 0:
	case d.Outcome.Failed() || len(got) != 1:
		last := ""
		r.recorded(t, func(prompt string) bool { last = prompt; return false })
		t.Errorf("%s: %s, and the model got %.200q, the record's last is %.200q: %s\n%s", name, d.Outcome, got, last,
			d.Saw(), r.screen(t))
	case !sameButFor(got[0], want, d.Saw()):
		t.Errorf("%s: the model got %.200q, want %.200q: %s", name, got[0], want, d.Saw())
	}
}

// sameButFor reports whether a prompt equals the wanted one, apart from the changes that the evidence announces.
func sameButFor(got, want, evidence string) bool {
	got, want = norm.NFC.String(got), norm.NFC.String(want)
	if strings.Contains(evidence, "four blanks") {
		want = strings.ReplaceAll(want, "\t", "    ")
	}
	if strings.Contains(evidence, "may be completed") {
		want = strings.ReplaceAll(want, "@READ", "@README.md")
		got, want = strings.ReplaceAll(got, "@README.mdME.md", "@README.md"),
			strings.ReplaceAll(want, "@README.mdME.md", "@README.md")
	}
	if strings.Contains(evidence, "no width") {
		none := strings.NewReplacer("\u200b", "", "b\u200d", "b", "\ufeff", "")
		got, want = none.Replace(got), none.Replace(want)
	}
	if strings.Contains(evidence, "U+2060") {
		got = strings.TrimLeft(got, "\u2060 ")
	}
	return got == want
}

// recorded returns the last prompt in the agent's own record, if it is the wanted one.
func (r *hired) recorded(t *testing.T, is func(prompt string) bool) []string {
	t.Helper()
	replies, err := r.Conversations.Replies(t.Context(), resolve.Target{Session: "real.1"})
	if err != nil {
		t.Logf("%v", err)
		return nil
	}
	prompt, _, _ := strings.Cut(replies[0].Prompt, "\n\n--- Content from referenced files")
	if prompt = fleettest.Unwrapped(prompt); !is(prompt) {
		return nil
	}
	return []string{prompt}
}

// rests waits for the agent to be idle, and denies what it asks meanwhile.
func (r *hired) rests(t *testing.T) {
	t.Helper()
	r.wait(t, "idle", func() bool {
		state := r.state(t).State
		if state == core.Waiting {
			if _, err := r.Sender.Answer(t.Context(),
				deliver.AnswerRequest{Target: resolve.Target{Session: "real.1"}, Act: core.ActDeny}); err != nil {
				t.Errorf("%v\n%s", err, r.screen(t))
			}
		}
		return state == core.Idle
	})
}
