package relay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/run/relay"
)

// put writes the file of a relay.
func put(t testing.TB, book relay.Book, id, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(book.Dir, id), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(book.Dir, id, "relay.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// recordOf is the file of a relay.
func recordOf(id string, state relay.State, minute int, text string) string {
	return fmt.Sprintf(`{"record_version":1,"id":%q,"backend":"codex","prompt":"is it safe?","state":%q,`+
		`"started_at":"2126-11-20T11:%02d:00Z","text":%q}`, id, state, minute, text)
}

// listed are the ids and states of an index.
func listed(t testing.TB, index *relay.Cache) string {
	t.Helper()
	all, err := index.All()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range all {
		if all[i].Text != "" {
			t.Errorf("%s has its answer", all[i].ID)
		}
		words = append(words, all[i].ID+" "+string(all[i].State))
	}
	return strings.Join(words, ", ")
}

func TestIndexSeesWhatChanges(t *testing.T) {
	book := relay.Book{Dir: filepath.Join(t.TempDir(), "relays")}
	index := book.Cache()
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, ""},
		{func() { put(t, book, "a", recordOf("a", relay.Done, 1, "yes")) }, "a done"},
		{func() { put(t, book, "b", recordOf("b", relay.Pending, 2, "")) }, "b pending, a done"},
		{func() { put(t, book, "c", "garbage") }, "b pending, a done"},
		{func() { put(t, book, "b", recordOf("b", relay.Failed, 2, "")) }, "b failed, a done"},
		{func() {
			put(t, book, "c", recordOf("c", relay.Running, 3, ""))
			later(t, filepath.Join(book.Dir, "c", "relay.json"))
		}, "c interrupted, b failed, a done"},
		{func() {
			put(t, book, "c", recordOf("c", relay.Done, 3, ""))
			later(t, filepath.Join(book.Dir, "c", "relay.json"))
		}, "c done, b failed, a done"},
		{func() { mustRemove(t, filepath.Join(book.Dir, "b")) }, "c done, a done"},
		{func() { mustRemove(t, book.Dir) }, ""},
	} {
		step.change()
		if got := listed(t, index); got != step.want {
			t.Fatalf("got %q, want %q", got, step.want)
		}
	}
}

// later gives a file another time than it has.
func later(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	at := info.ModTime().Add(time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func mustRemove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestIndexKeepsTheBeginningOfAPrompt(t *testing.T) {
	book := relay.Book{Dir: t.TempDir()}
	put(t, book, "a", strings.Replace(recordOf("a", relay.Done, 1, ""), "is it safe?", strings.Repeat("語", 9000), 1))
	all, err := book.Cache().All()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if n := len(all[0].Prompt); n == 0 || n > 1000 || strings.Trim(all[0].Prompt, "語") != "" {
		t.Errorf("%d bytes: %q", n, all[0].Prompt)
	}
}

func TestReaderReadsEachEventOnce(t *testing.T) {
	book := relay.Book{Dir: t.TempDir()}
	put(t, book, "a", recordOf("a", relay.Pending, 1, ""))
	reader := &relay.Reader{Book: book, ID: "a"}
	var written []string
	for _, step := range []struct{ write, text, doing string }{
		{"", "", ""},
		{`{"type":"text","text":"one ","message_number":1}` + "\n" + `{"type":"te`, "one ", ""},
		{`xt","text":"two","message_number":1}` + "\n", "one two", ""},
		{`{"type":"tool","tool":"Read","status":"started","text":"a.go"}` + "\n", "one two", "Read started a.go"},
		{"not an event\n", "one two", "Read started a.go"},
		{`{"type":"text","text":"three","message_number":2}` + "\n", "three", ""},
	} {
		written = append(written, step.write)
		events := filepath.Join(book.Dir, "a", "events.ndjson")
		if err := os.WriteFile(events, []byte(strings.Join(written, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := reader.Read(); err != nil {
			t.Fatal(err)
		}
		if reader.Text() != step.text || reader.Doing() != step.doing {
			t.Errorf("after %q: %q, %q", step.write, reader.Text(), reader.Doing())
		}
	}
	if got := book.SoFar("a"); got != "three" {
		t.Errorf("so far %q", got)
	}
}

// BenchmarkIndex looks at 200 relays that have ended, as the dashboard does again and again.
func BenchmarkIndex(b *testing.B) {
	book := relay.Book{Dir: b.TempDir()}
	for i := range 200 {
		id := fmt.Sprintf("relay%03d", i)
		put(b, book, id, recordOf(id, relay.Done, i%60, strings.Repeat("an answer of some length ", 400)))
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(book.Dir, at, at); err != nil {
		b.Fatal(err)
	}
	look := func(b *testing.B, list func() ([]relay.Record, error)) {
		if all, err := list(); err != nil || len(all) != 200 {
			b.Fatal(len(all), err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			look(b, book.Cache().All)
		}
	})
	b.Run("again", func(b *testing.B) {
		index := book.Cache()
		for b.Loop() {
			look(b, index.All)
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			look(b, book.All)
		}
	})
}
