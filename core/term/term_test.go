package term_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cupola/core/term"
)

// shown writes a stream to a terminal of 20 by 4 and returns it.
func shown(stream string) *term.Terminal {
	t := term.New(20, 4)
	fmt.Fprint(t, stream)
	return t
}

// historyOf are the last n lines that scrolled off, with styles.
func historyOf(one *term.Terminal, n int) []string {
	lines, visible := one.Text(term.Extent{History: n, Styled: true})
	return lines[:len(lines)-visible]
}

func TestTextShows(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   []string
	}{
		"nothing":           {"", []string{"", "", "", ""}},
		"it wraps":          {strings.Repeat("ab", 11), []string{"abababababababababab", "ab", "", ""}},
		"it scrolls":        {"1\r\n2\r\n3\r\n4\r\n5", []string{"2", "3", "4", "5"}},
		"wide ones":         {"日本語\b\bx", []string{"日本x", "", "", ""}},
		"marks":             {"e\u0301x", []string{"e\u0301x", "", "", ""}},
		"joined ones":       {"👩\u200d💻x", []string{"👩\u200d💻x", "", "", ""}},
		"flags":             {"\x1b[?2027h🇩🇪x🇫🇷\x1b[1;3H|\x1b[1;6H|", []string{"🇩🇪|🇫🇷|", "", "", ""}},
		"in two writes":     {"日\xe6", []string{"日", "", "", ""}},
		"no text":           {"a\xffb", []string{"a\ufffdb", "", "", ""}},
		"lines":             {"\x1b(0lqk\x1b(B", []string{"┌─┐", "", "", ""}},
		"the other screen":  {"a\x1b[?1049hb\x1b[?1049l", []string{"a", "", "", ""}},
		"a string given up": {"\x1b]0;title\x18x\x1b]0;y\x1b[1mz", []string{"xz", "", "", ""}},
		"an endless string": {"\x1bP" + strings.Repeat("x", 3<<20) + "\x1b\\y", []string{"y", "", "", ""}},
		"many parameters": {
			"\x1b[" + strings.Repeat("1;", 1000) + "mx\x1b[99999999999999999999Cy",
			[]string{"x                  y", "", "", ""},
		},
	} {
		if got := shown(test.stream).Lines(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, not %q", name, got, test.want)
		}
	}
}

// Cells have no room for the colour of an underline. History, redraws and saved terminals keep it all the same.
func TestUnderlinesHaveColours(t *testing.T) {
	stream := "\x1b[4:3;58;5;9mred\x1b[58:2::1:2:3mdark\x1b[59mown\x1b[m"
	for n := range 20 {
		stream += fmt.Sprintf("\x1b[4;58;5;%dm.", 100+n)
	}
	one := term.New(60, 2)
	fmt.Fprint(one, stream+"\r\n\n\n")
	want := "\x1b[0;4:3m\x1b[58:5:9mred\x1b[0;4:3m\x1b[58:2::1:2:3mdark\x1b[0;4:3mown" +
		"\x1b[0;4m\x1b[58:5:100m.\x1b[0;4m\x1b[58:5:101m."
	got := historyOf(one, 10)
	if len(got) != 2 || !strings.HasPrefix(got[0], want) || !strings.HasSuffix(got[0], "\x1b[0;4m.......\x1b[0m") {
		t.Errorf("history is %q", got)
	}
	fmt.Fprint(one, "\x1b[H\x1b[4;58;5;9mred")
	loaded, err := term.Load(one.Save())
	if err != nil {
		t.Fatal(err)
	}
	if plain := term.New(60, 2).Save(); plain[0] != 1 || one.Save()[0] != 2 {
		t.Error("what has no such colours is nothing that an older program loads, or the other way round")
	}
	drawn := term.New(60, 2)
	_, _ = drawn.Write(one.Redraw())
	for name, other := range map[string]*term.Terminal{"loaded": loaded, "drawn again": drawn} {
		if got := other.Styled()[0]; got != "\x1b[0;4m\x1b[58:5:9mred\x1b[0m" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestProgramsAreAnsweredAndHeard(t *testing.T) {
	for stream, want := range map[string]string{
		"\x1b[c":                                "answer \x1b[?62;22c",
		"\x1b[>q":                               "answer \x1bP>|cupola\x1b\\",
		"ab\r\n\x1b[6n":                         "answer \x1b[2;1R",
		"\x1b[?2026$p\x1b[?9999$p":              "answer \x1b[?2026;2$y, answer \x1b[?9999;0$y",
		"\x1b[>5u\x1b[?u\x1b[<u\x1b[?u":         "answer \x1b[?5u, answer \x1b[?0u",
		"\x1b]7501;?\x1b\\\x1b[c":               "answer \x1b]7501;?\x1b\\, answer \x1b[?62;22c",
		"\x1b]7501;blocked:kind=permission\x07": "status blocked:kind=permission",
		"\a\x1b]2;a title\x07":                  "bell , title a title",
		"\x1b]9;4;1;50\x07\x1b]9;hi\x07":        "progress 1;50, notification hi",
		"\x1b]777;notify;a;b\x1b\\":             "notification notify;a;b",
		"\x1b]99;i=x:p=?;\x1b\\\x1b]99;;hi\x07": "notification ;hi",
		"\x1b]133;A\x07\x1b]7;file:///tmp\x07":  "prompt A, folder file:///tmp",
		"\x1b]52;c;aGk=\x07\x1b]52;c;?\x07":     "clipboard c;aGk=",
		"\x1b]11;?\x07":                         "answer \x1b]11;rgb:0000/0000/0000\x1b\\",
		"\x1bP+q544e\x1b\\":                     "answer \x1bP0+r\x1b\\",
	} {
		var said []string
		one := term.New(20, 4)
		one.Events = func(e term.Event) { said = append(said, string(e.Kind)+" "+e.Text) }
		one.Answers = func(text []byte) { said = append(said, "answer "+string(text)) }
		fmt.Fprint(one, stream)
		if got := strings.Join(said, ", "); got != want {
			t.Errorf("%q: %q, not %q", stream, got, want)
		}
	}
}

func TestHistoryKeepsWhatScrolledOff(t *testing.T) {
	one := term.New(20, 4)
	one.HistoryLimit(100)
	for i := range 1000 {
		fmt.Fprintf(one, "\x1b[3%dmline %d 日本\x1b[m\r\n", i%8, i)
	}
	if got := one.History(); got != 100 {
		t.Fatalf("%d lines are kept", got)
	}
	last := historyOf(one, 2)
	if want := []string{"\x1b[0;33mline 995 日本\x1b[0m", "\x1b[0;34mline 996 日本\x1b[0m"}; !slices.Equal(last, want) {
		t.Errorf("the last are %q", last)
	}
	fmt.Fprint(one, "\x1b[2J")
	if got := historyOf(one, 1)[0]; !strings.Contains(got, "line 999") {
		t.Errorf("what was cleared is not kept: %q", got)
	}
	fmt.Fprint(one, "\x1b[?1049h"+strings.Repeat("alternate\r\n", 50)+"\x1b[?1049l")
	if got := historyOf(one, 1)[0]; !strings.Contains(got, "line 999") {
		t.Errorf("the alternate screen has a history: %q", got)
	}
	fmt.Fprint(one, "\x1b[3J")
	if got := one.History(); got != 0 {
		t.Errorf("%d lines are kept after they were cleared", got)
	}
}

func TestResizeKeepsTheCursorInSight(t *testing.T) {
	one := shown("1\r\n2\r\n3\r\n4\x1b[1mx")
	one.Resize(10, 2)
	if got := one.Lines(); !slices.Equal(got, []string{"3", "4x"}) {
		t.Errorf("lower: %q", got)
	}
	if x, y, _ := one.Cursor(); x != 2 || y != 1 {
		t.Errorf("the cursor is at %d, %d", x, y)
	}
	if got := historyOf(one, 9); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("what left the screen is %q", got)
	}
	one.Resize(30, 5)
	fmt.Fprint(one, "\x1b[2;29Hend")
	if got := one.Lines(); !slices.Equal(got, []string{"3", "4x                          en", "d", "", ""}) {
		t.Errorf("higher: %q", got)
	}
}

// fed are streams for fuzzing.
func fed(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[?1049h日本\x1b[2;5r\x1b]0;t\x07"), uint8(20), uint8(4))
	f.Add([]byte("e\u0301\x1b[4hx\x1b[5L\x1b[3P\x1b(0qqq\x1b7\x1b[?6h"), uint8(1), uint8(1))
	f.Add([]byte("🇩\x1b[?2027h🇪🇫🇷\x1b[?2027l🇮🇹\r\n☝\ufe0f🏽|\x1b[2;2H👩\u200d"), uint8(20), uint8(4))
	f.Add([]byte("\x1b[1;3HＳ\x1b[H👩\u200d\x1b[2;2H©\x1b[2;1He\u200d"), uint8(20), uint8(4))
	f.Add([]byte("\x1b[4:3m\x1b[58:2::1:2:3mx\x1b[58;5;9m\x1b[1;4my\x1b[59mz\r\n\n\n"), uint8(20), uint8(4))
	files, _ := filepath.Glob(filepath.Join(os.Getenv("CUPOLA_TESTDATA"), "streams", "*80x24.bin"))
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(text[:min(len(text), 4000)], uint8(80), uint8(24))
		}
	}
}

// FuzzRedraw writes anything, resizes, and lets another terminal show what Redraw writes.
func FuzzRedraw(f *testing.F) {
	fed(f)
	f.Fuzz(func(t *testing.T, stream []byte, width, height uint8) {
		one := term.New(int(width), int(height))
		_, _ = one.Write(stream[:len(stream)/2])
		one.Resize(int(height), int(width))
		one.Resize(int(width), int(height))
		_, _ = one.Write(stream[len(stream)/2:])
		_, _ = one.Write([]byte("\x18")) // what is half a sequence is given up
		w, h := one.Size()
		lines := one.Lines()
		if x, y, _ := one.Cursor(); len(lines) != h || x < 0 || x >= w || y < 0 || y >= h {
			t.Fatalf("%d lines of %d, the cursor at %d, %d of %d", len(lines), h, x, y, w)
		}
		historyOf(one, one.History())
		other := term.New(w, h)
		_, _ = other.Write(one.Redraw())
		if got := other.Lines(); !slices.Equal(got, lines) {
			t.Fatalf("drawn again %q, not %q", got, lines)
		}
		if got := other.Styled(); !slices.Equal(got, one.Styled()) {
			t.Fatalf("drawn again %q, not %q", got, one.Styled())
		}
		x, y, visible := one.Cursor()
		if x2, y2, visible2 := other.Cursor(); x != x2 || y != y2 || visible != visible2 {
			t.Fatalf("the cursor is at %d, %d, %t, not %d, %d, %t", x2, y2, visible2, x, y, visible)
		}
	})
}

// BenchmarkWrite measures how fast streams of programs are read.
func BenchmarkWrite(b *testing.B) {
	for _, name := range []string{"claude-120x40", "codex-120x40", "opencode-120x40", "vim-120x40", "gitlog-120x40"} {
		stream, err := os.ReadFile(filepath.Join(os.Getenv("CUPOLA_TESTDATA"), "streams", name+".bin"))
		if err != nil {
			b.Skip("CUPOLA_TESTDATA names no folder of recordings")
		}
		b.Run(name, func(b *testing.B) {
			one := term.New(120, 40)
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				_, _ = one.Write(stream)
			}
		})
	}
	b.Run("log", func(b *testing.B) {
		one := term.New(120, 40)
		text := []byte("2026-01-31T12:00:00Z info request served in 12 ms path=/api/items status=200\r\n")
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			_, _ = one.Write(text)
		}
	})
}

// BenchmarkMemory reports what panes of 200 by 50 take: empty, and with 5,000 lines that scrolled off.
func BenchmarkMemory(b *testing.B) {
	for name, lines := range map[string]int{"empty": 0, "log": 5050} {
		b.Run(name, func(b *testing.B) {
			const panes = 20
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				all := make([]*term.Terminal, panes)
				for i := range all {
					all[i] = term.New(200, 50)
					all[i].HistoryLimit(5000)
					for n := range lines {
						const format = "\x1b[32m12:00:%02d\x1b[m info request %d served in 12 ms path=/api/items\r\n"
						fmt.Fprintf(all[i], format, n%60, n)
					}
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(all)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/panes/(1<<20), "MB/pane")
		})
	}
}

func TestQuestionsArePassedToNobody(t *testing.T) {
	var passed strings.Builder
	one := term.New(20, 2)
	one.Passed = func(p []byte) { passed.Write(p) }
	for _, piece := range []string{
		"a\x1b[c\x1b[31mb\x1b[?2026$p", "\x1b]10;?\x07\x1b]2;t\x07", "\x1b[>",
		"q\x1bP+q5463\x1b\\\x1b[6nc\x1b_Gi=1,a=q;\x1b\\",
		"\xe6\x97", "\xa5\x1b]52;c;?\x07\x1b]52;c;YQ==\x07\x1b]7501;?\x1b\\", "\x1b[?uz",
	} {
		_, _ = one.Write([]byte(piece))
	}
	if want := "a\x1b[31mb\x1b]2;t\x07c日\x1b]52;c;YQ==\x07z"; passed.String() != want {
		t.Errorf("%q were passed", passed.String())
	}
}
