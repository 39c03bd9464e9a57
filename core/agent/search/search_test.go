package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/search"
	"cupola/core/agent/transcript"
)

var day = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// home is a folder with conversations.
type home struct{ dir string }

func (h home) env(name string) string {
	if name == "HOME" {
		return h.dir
	}
	return ""
}

// put writes a file that was last written at a minute of the day.
func (h home) put(t *testing.T, path, text string, minute int) string {
	t.Helper()
	path = filepath.Join(h.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := day.Add(time.Duration(minute) * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// line is a line of Claude's, written at a minute.
func line(who, text string, minute int) string {
	at := day.Add(time.Duration(minute) * time.Minute).Format(time.RFC3339)
	encoded, _ := json.Marshal(text)
	return fmt.Sprintf(`{"type":%q,"cwd":"/src/api","message":{"role":%q,"content":%s},"timestamp":%q}`+"\n",
		who, who, encoded, at)
}

// found are the hits for a text, each as "minute who text".
func (h home) found(t *testing.T, text string, change func(*search.Query)) (all []string, totals search.Totals) {
	t.Helper()
	pattern, err := search.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	query := search.Query{Pattern: pattern}
	if change != nil {
		change(&query)
	}
	sources, _ := search.Conversations(t.Context(), h.env, query.Kinds)
	totals, err = search.Run(t.Context(), sources, query, func(hit search.Hit) error {
		all = append(all, fmt.Sprintf("%d %s %s", int(hit.At.Sub(day).Minutes()), hit.Who, hit.Text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, totals
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found %q, not %q", got, want)
	}
}

func TestTheNewestTextOfAllConversationsComesFirst(t *testing.T) {
	h := home{t.TempDir()}
	// The conversation that was written last also holds the oldest text.
	h.put(t, ".claude/projects/-src-api/a.jsonl",
		line("user", "The Parser, first", 1)+line("assistant", "parser done", 9), 9)
	h.put(t, ".claude/projects/-src-web/b.jsonl", line("user", "a PARSER too", 5)+line("user", "else", 6), 6)
	h.put(t, ".codex/sessions/2026/11/20/rollout-2026-11-20T12-03-00-01a1fadc-6a05-7592-a9a5-51e9ea82ad3c.jsonl",
		`{"timestamp":"2026-11-20T12:03:00Z","type":"response_item","payload":{"type":"function_call_output","output":"parser.go:1"}}`+"\n",
		3)
	got, totals := h.found(t, "parser", nil)
	expect(t, got, "9 agent parser done", "5 user a PARSER too", "3 tool parser.go:1", "1 user The Parser, first")
	if !totals.Complete || totals.Sources != 3 || totals.Hits != 4 || totals.Bytes == 0 {
		t.Errorf("%+v", totals)
	}
	got, totals = h.found(t, "parser", func(q *search.Query) { q.Limit = 1 })
	expect(t, got, "9 agent parser done")
	if totals.Complete {
		t.Errorf("%+v", totals)
	}
	got, _ = h.found(t, "parser", func(q *search.Query) { q.Since = day.Add(4 * time.Minute) })
	expect(t, got, "9 agent parser done", "5 user a PARSER too")
	got, _ = h.found(t, "parser", func(q *search.Query) { q.Kinds = []core.Kind{"codex"} })
	expect(t, got, "3 tool parser.go:1")
}

func TestCaseBlanksAndEncodingDoNotCount(t *testing.T) {
	for _, c := range []struct{ text, said string }{
		{"the parser", "The\n  PARSER"},
		{`say "hi" <b>`, `They SAY "Hi"  <B> now`},
		{"größe", "Die GRÖSSE und Größe"},
		{"ЖУК", "вот жук"},
		{"漢字", "これは漢字です"},
		{"é", "É"},
		{"<", "a<b"},
		{`c:\temp`, `in C:\Temp`},
	} {
		h := home{t.TempDir()}
		h.put(t, ".claude/projects/-src-api/a.jsonl", line("user", "else", 1)+line("user", c.said, 2), 2)
		h.put(t, ".claude/projects/-src-api/b.jsonl", asciiOnly(line("user", c.said, 1)), 1)
		if got, _ := h.found(t, c.text, nil); len(got) != 2 {
			t.Errorf("%q in %q: %q", c.text, c.said, got)
		}
	}
	for _, none := range []string{"", " \n\t"} {
		if _, err := search.Compile(none); err == nil {
			t.Errorf("%q is searched for", none)
		}
	}
}

// asciiOnly writes JSON as some programs do.
func asciiOnly(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 128 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.String()
}

func TestAProjectIsAFolderOrTheNameOfOne(t *testing.T) {
	h := home{t.TempDir()}
	h.put(t, ".claude/projects/-src-api/a.jsonl", line("user", "parser", 1), 1)
	for project, n := range map[string]int{
		"": 1, "api": 1, "/src": 1, "/src/api": 1, "/src/api/": 1, "/src/ap": 0, "ap": 0, "/other": 0,
	} {
		if got, _ := h.found(t, "parser", func(q *search.Query) { q.Project = project }); len(got) != n {
			t.Errorf("%q: %q", project, got)
		}
	}
}

func TestATextIsFoundOnce(t *testing.T) {
	h := home{t.TempDir()}
	name := ".codex/sessions/2026/11/20/rollout-2026-11-20T12-03-00-01a1fadc-6a05-7592-a9a5-51e9ea82ad3c.jsonl"
	h.put(t, name,
		`{"timestamp":"2026-11-20T12:03:00Z","type":"event_msg","payload":{"type":"agent_message","message":"the parser"}}`+"\n"+
			`{"timestamp":"2026-11-20T12:03:01Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"the parser"}]}}`+"\n",
		3)
	pattern, _ := search.Compile("parser")
	sources, _ := search.Conversations(t.Context(), h.env, nil)
	once := []search.Hit{{At: day.Add(2 * time.Minute), Who: transcript.ByAgent, Text: "the parser"}}
	sources = append(sources, search.Texts(day.Add(time.Hour), func(context.Context) ([]search.Hit, error) {
		next := once
		once = nil
		return next, nil
	}))
	query := search.Query{Pattern: pattern}
	totals, err := search.Run(t.Context(), sources, query, func(search.Hit) error { return nil })
	if err != nil || totals.Hits != 1 {
		t.Errorf("%+v, %v", totals, err)
	}
}

func TestCredentialsInHitsAreMasked(t *testing.T) {
	h := home{t.TempDir()}
	const secret = "sk-ant-api03-Zx8vQ2mN4kL7pR1tY6wB3cF9gH5jD0sA"
	h.put(t, ".claude/projects/-src-api/a.jsonl", line("user", "the parser has ANTHROPIC_API_KEY="+secret+" set", 1), 1)
	for text, plain := range map[string]bool{"parser": false, "Zx8vQ2mN4kL7": false, "set": true} {
		got, _ := h.found(t, text, func(q *search.Query) { q.Plain = plain })
		if len(got) != 1 || strings.Contains(got[0], "mN4kL7pR1tY6w") != plain {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestForeignFilesAreReadAsFarAsTheyGo(t *testing.T) {
	h := home{t.TempDir()}
	dir := ".claude/projects/-src-api/"
	long := strings.Repeat("x", 3<<20)
	h.put(t, dir+"long.jsonl", line("user", "before parser", 1)+line("user", long+" parser "+long, 2)+
		line("user", "behind parser", 3), 3)
	h.put(t, dir+"binary.jsonl", "\x00\xff\x00parser\n"+line("user", "binary parser", 4)+`{"type":"user","message":{"content":"half parser`, 5)
	h.put(t, dir+"empty.jsonl", "", 6)
	outside := h.put(t, "outside.jsonl", line("user", "linked parser", 7), 7)
	if err := os.Symlink(outside, filepath.Join(h.dir, dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	h.put(t, ".gemini/tmp/x/chats/session-2026-11-20T12-00-aaaaaaaa.json", `{"sessionId":"s","messages":[
		{"type":"user","timestamp":"2026-11-20T12:08:00Z","content":"old parser"},
		{"type":"gemini","timestamp":"2026-11-20T12:09:00Z","content":"new parser"}]}`, 9)
	gone := h.put(t, dir+"gone.jsonl", line("user", "gone parser", 8), 8)
	sources, _ := search.Conversations(t.Context(), h.env, nil)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	pattern, _ := search.Compile("parser")
	var got []string
	totals, err := search.Run(t.Context(), sources, search.Query{Pattern: pattern}, func(hit search.Hit) error {
		got = append(got, strings.Trim(hit.Text, "x …"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, "new parser", "old parser", "binary parser", "behind parser", "parser", "before parser")
	if totals.Unreadable != 1 {
		t.Errorf("%+v", totals)
	}
}

func TestRecordingsOfPanesAreSearched(t *testing.T) {
	h := home{t.TempDir()}
	h.put(t, "casts/api.1-20261120T120000.000.cast",
		`{"version":2}`+"\n"+`[60.5,"o","\u001b[1mthe \u001b[0mParser"]`+"\n"+`[61,"i","parser"]`+"\n", 2)
	sources, err := search.Recordings(filepath.Join(h.dir, "casts"))
	if err != nil {
		t.Fatal(err)
	}
	pattern, _ := search.Compile("the parser")
	var got []search.Hit
	_, err = search.Run(t.Context(), sources, search.Query{Pattern: pattern}, func(hit search.Hit) error {
		got = append(got, hit)
		return nil
	})
	if err != nil || len(got) != 1 || got[0].Pane != "api.1" || got[0].Text != "the Parser" ||
		got[0].Who != search.ByScreen || !got[0].At.Equal(day.Add(60500*time.Millisecond)) {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add("The Parser", "the  parser")
	f.Add("İ", "İstanbul")
	f.Add(`"`, `say "it"`)
	f.Fuzz(func(t *testing.T, text, within string) {
		pattern, err := search.Compile(text)
		if err != nil {
			return
		}
		if from, to, ok := pattern.Find(within); ok && (from < 0 || to < from || to > len(within)) {
			t.Errorf("%q in %q: %d to %d", text, within, from, to)
		}
		// Whatever holds the text is found in a record of it.
		text = strings.ToValidUTF8(text, "")
		if strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0xfffd) {
			return
		}
		h := home{t.TempDir()}
		h.put(t, ".claude/projects/-src-api/a.jsonl", line("user", "x "+text+" y", 1), 1)
		if got, _ := h.found(t, text, func(q *search.Query) { q.Plain = true }); len(got) != 1 {
			t.Errorf("%q is not found in its own record", text)
		}
	})
}
