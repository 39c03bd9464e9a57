package term_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/term"
)

// cuts is at how many points each recording is compared.
const cuts = 24

// reference is a pane of a real tmux that shows what is written to it.
type reference struct {
	*enginetest.Tmux
	t             testing.TB
	tty           *os.File
	name          string
	width, height int
	marks         int
}

// newReference starts a pane of a size.
func newReference(t testing.TB, server *enginetest.Tmux, width, height int) *reference {
	t.Helper()
	references++
	name := fmt.Sprintf("r%d", references)
	server.Run("new-session", "-d", "-s", name, "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "--",
		"sh", "-c", "stty raw -echo; exec sleep 1000000")
	r := &reference{Tmux: server, t: t, name: name, width: width, height: height}
	enginetest.Eventually(t, enginetest.Timeout, func() bool {
		return server.Run("display-message", "-p", "-t", name, "#{pane_current_command}") == "sleep"
	}, nil)
	tty, err := os.OpenFile(server.Run("display-message", "-p", "-t", name, "#{pane_tty}"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tty.Close()
		_, _ = server.Try("kill-session", "-t", name)
	})
	r.tty = tty
	return r
}

// references numbers the panes.
var references int

// mark returns a sequence to write behind a part of a stream; its title shows that tmux has read so far.
func (r *reference) mark() string {
	r.marks++
	return fmt.Sprintf("\x1b]2;mark-%d\x1b\\", r.marks)
}

// seen is the visible state of a terminal.
type seen struct {
	screen *term.Terminal
	lines  []string
	x, y   int
}

// show waits until tmux has read the last mark, and returns what it shows.
func (r *reference) show() seen {
	r.t.Helper()
	var lines []string
	enginetest.Eventually(r.t, enginetest.Timeout, func() bool {
		out := r.Run("display-message", "-p", "-t", r.name, "#{pane_title} #{cursor_x} #{cursor_y}", ";",
			"capture-pane", "-p", "-e", "-t", r.name)
		lines = strings.Split(out, "\n")
		return strings.HasPrefix(lines[0], fmt.Sprintf("mark-%d ", r.marks))
	}, nil)
	var s seen
	if _, err := fmt.Sscanf(lines[0], "mark-%d %d %d", new(int), &s.x, &s.y); err != nil {
		r.t.Fatal(err)
	}
	s.x = min(s.x, r.width-1)
	// What tmux prints is read by a terminal of our own: a line each, without wrapping, G1 for lines.
	s.screen = term.New(r.width, r.height)
	fmt.Fprint(s.screen, "\x1b)0\x1b[?7l")
	for i, line := range lines[1:] {
		if i < r.height {
			fmt.Fprintf(s.screen, "\x1b[%d;1H%s", i+1, line) // styles continue from line to line
		}
	}
	s.lines = s.screen.Lines()
	return s
}

// differ describes the first difference between two terminals; empty if there is none.
func differ(want seen, got *term.Terminal) string {
	lines := got.Lines()
	for y := range lines {
		if lines[y] != want.lines[y] {
			return fmt.Sprintf("line %d:\ntmux %q\nours %q", y, want.lines[y], lines[y])
		}
		want, ours := term.Pens(want.screen, y), term.Pens(got, y)
		for x := range ours {
			if want[x] != "" && ours[x] != "" && want[x] != ours[x] {
				return fmt.Sprintf("line %d %q, column %d: tmux %q, ours %q", y, lines[y], x, want[x], ours[x])
			}
		}
	}
	if x, y, _ := got.Cursor(); x != want.x || y != want.y {
		return fmt.Sprintf("the cursor: tmux %d,%d, ours %d,%d", want.x, want.y, x, y)
	}
	return ""
}

// TestRecordingsShowAsInTmux writes what real programs wrote to a tmux and to a terminal of our own, and compares
// them at points between sequences.
func TestRecordingsShowAsInTmux(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	files, err := filepath.Glob(filepath.Join(folder, "streams", "*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams in %s: %v", folder, err)
	}
	server := enginetest.Private(t).Start()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bin")
		t.Run(name, func(t *testing.T) {
			var width, height int
			if _, err := fmt.Sscanf(name[strings.LastIndex(name, "-")+1:], "%dx%d", &width, &height); err != nil {
				t.Fatal(err)
			}
			stream, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, newReference(t, server, width, height), stream)
		})
	}
}

// compare writes a stream in parts to both, and compares what they show after each.
func compare(t *testing.T, r *reference, stream []byte) {
	t.Helper()
	ours := term.New(r.width, r.height)
	at, failed := 0, 0
	for cut := 1; cut <= cuts; cut++ {
		end := max(at, len(stream)*cut/cuts)
		from := at
		for at < len(stream) && (at < end || term.Within(ours)) {
			n := min(len(stream)-at, max(1, end-at))
			_, _ = ours.Write(stream[at : at+n])
			at += n
		}
		if term.Within(ours) {
			return // it ends within a sequence
		}
		mark := r.mark()
		if _, err := r.tty.WriteString(string(stream[from:at]) + mark); err != nil {
			t.Fatal(err)
		}
		_, _ = ours.Write([]byte(mark))
		if why := differ(r.show(), ours); why != "" {
			failed++
			if failed == 1 {
				t.Errorf("at %d of %d bytes: %s", at, len(stream), why)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d points differ", failed, cuts)
	}
}

// quirks are sequences that tmux treats differently from the standard and other terminals; random streams leave them
// out.
//
//   - It knows no CHT (CSI I), HPR (CSI a) and VPR (CSI e), and no character set but ASCII and the one for lines.
//   - Half of a wide character that is erased or shifted leaves the other half in place.
//   - Bytes that are no UTF-8 do not show as U+FFFD.
//   - It knows no DECSTR (CSI ! p).
//   - A mark or a joiner behind a character in the last column goes to the character before that one.
var quirks = strings.NewReplacer("\x1b[I", "", "\x1b[a", "", "\x1b[e", "")

// piece is a part of a random stream: of one with wide characters, or of one that edits lines.
func piece(random *rand.Rand, wide bool) string {
	n := func(most int) int { return random.IntN(most + 1) }
	texts := []string{"x", "some words ", "0123456789", "\u2500\u2502", "\t"}
	kind := random.IntN(30)
	if wide {
		texts = append(texts, "\u65e5\u672c", "\U0001f642")
		if kind == 15 || kind == 17 || kind == 25 {
			kind = 0
		}
	}
	switch kind {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		return texts[random.IntN(len(texts))]
	case 8:
		return strings.Repeat("wrap ", n(12))
	case 9, 10:
		return "\r\n"
	case 11:
		return []string{"\b", "\r", "\n", "\v", "\x1bM", "\x1bD", "\x1bE", "\x0e", "\x0f"}[random.IntN(9)]
	case 12, 13:
		return fmt.Sprintf("\x1b[%d;%dH", n(12), n(44))
	case 14:
		return fmt.Sprintf("\x1b[%d%c", n(9), "ABCDEFGd"[random.IntN(8)])
	case 15:
		return fmt.Sprintf("\x1b[%dK", n(2))
	case 16:
		return fmt.Sprintf("\x1b[%dJ", n(2))
	case 17:
		return fmt.Sprintf("\x1b[%d%c", n(5), "@PXLMST"[random.IntN(7)])
	case 18:
		return fmt.Sprintf("\x1b[%d;%dr", n(10), n(12))
	case 19, 20, 21:
		return fmt.Sprintf("\x1b[%dm", []int{0, 1, 2, 3, 4, 7, 9, 22, 24, 27, 31, 42, 39, 49, 95, 103}[random.IntN(16)])
	case 22:
		return fmt.Sprintf("\x1b[38;5;%dm\x1b[48;2;%d;%d;%dm", n(255), n(255), n(255), n(255))
	case 23:
		return []string{"\x1b7", "\x1b8", "\x1b[s", "\x1b[u"}[random.IntN(4)]
	case 24:
		return fmt.Sprintf("\x1b[?%d%c", []int{6, 7, 25, 47, 1047, 1049, 2004}[random.IntN(7)], "hl"[random.IntN(2)])
	case 25:
		return fmt.Sprintf("\x1b[4%c", "hl"[random.IntN(2)])
	case 26:
		return fmt.Sprintf("y\x1b[%db", n(6))
	case 27:
		return []string{"\x1b(0", "\x1b(B", "\x1b)0", "\x1b)B"}[random.IntN(4)]
	case 28:
		return []string{"\x1bH", "\x1b[g", "\x1b[3g", "\x1b[Z"}[random.IntN(4)]
	}
	return []string{"\x1b#8", "\x1bc", "\x1b]0;t\x07", "\x1b[5n"}[random.IntN(4)]
}

// TestRandomStreamsShowAsInTmux compares streams that no program would write: always the same ones, unless
// CUPOLA_TERM_SEED names others.
func TestRandomStreamsShowAsInTmux(t *testing.T) {
	const streams, pieces = 25, 120
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("CUPOLA_TERM_SEED"), 10, 64); err == nil {
		seed = n
	}
	server := enginetest.Private(t).Start()
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test wants the same again
	for n := range streams {
		r := newReference(t, server, 40, 10)
		ours := term.New(r.width, r.height)
		stream := ""
		for range pieces {
			stream += quirks.Replace(piece(random, n%2 == 0))
		}
		stream += r.mark()
		if _, err := r.tty.WriteString(stream); err != nil {
			t.Fatal(err)
		}
		_, _ = ours.Write([]byte(stream))
		if why := differ(r.show(), ours); why != "" {
			t.Errorf("seed %d, stream %d: %s\n%s", seed, n, why, shortest(t, server, stream))
			return
		}
	}
}

// shortest is a shorter stream that differs too.
func shortest(t *testing.T, server *enginetest.Tmux, stream string) string {
	t.Helper()
	why := ""
	parts := strings.SplitAfter(stream[:strings.LastIndex(stream, "\x1b]2;mark")], "\x1b")
	for i := len(parts) - 1; i > 0 && len(parts) > 1; i-- {
		fewer := append(append([]string{}, parts[:i]...), parts[i+1:]...)
		r := newReference(t, server, 40, 10)
		one := strings.Join(fewer, "") + "\x1b\\" + r.mark()
		ours := term.New(r.width, r.height)
		if _, err := r.tty.WriteString(one); err != nil {
			t.Fatal(err)
		}
		_, _ = ours.Write([]byte(one))
		if now := differ(r.show(), ours); now != "" {
			parts, why = fewer, now
		}
	}
	return fmt.Sprintf("%q: %s", strings.Join(parts, ""), why)
}
