package terminal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core/term"
)

// display is a terminal's display.
type display struct {
	mu     sync.Mutex
	shows  *term.Terminal
	writes int
}

func (d *display) Write(text []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	return d.shows.Write(text)
}

// bubble runs a test with a terminal that is taken and painted.
func bubble(t *testing.T, width, height int, test func(t *testing.T, of *Terminal, shown *display)) {
	t.Helper()
	keys, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	synctest.Test(t, func(t *testing.T) {
		shown := &display{shows: term.New(width, height)}
		of := New(keys, shown)
		if err := of.Take(); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go of.run(ctx, nil)
		test(t, of, shown)
	})
}

// rest waits until what was shown is painted.
func rest() {
	<-time.After(2 * frameTime)
	synctest.Wait()
}

// TestTheDisplayIsTheLastFrame shows random frames of changing sizes at random times.
func TestTheDisplayIsTheLastFrame(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	bubble(t, 30, 10, func(t *testing.T, of *Terminal, shown *display) {
		width, height := 30, 10
		var frame []string
		for range 300 {
			resized := random.IntN(10) == 0
			if resized {
				width, height = 5+random.IntN(40), 2+random.IntN(20)
				shown.mu.Lock()
				shown.shows.Resize(width, height)
				_, _ = shown.shows.Write([]byte("what a terminal leaves of another size"))
				shown.mu.Unlock()
				frame = nil
			}
			next := make([]string, height)
			for i := range next {
				if i < len(frame) && random.IntN(3) > 0 {
					next[i] = frame[i]
				} else {
					next[i] = strings.Repeat(string(rune('a'+random.IntN(26))), width)
				}
			}
			frame = next
			of.Show(frame, NoCursor, resized)
			if random.IntN(2) == 0 {
				rest()
				shown.mu.Lock()
				if got := shown.shows.Lines(); !slices.Equal(got, frame) {
					t.Fatalf("shown:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(frame, "\n"))
				}
				shown.mu.Unlock()
			}
		}
	})
}

// TestOnlyAChangeIsWritten counts what is written: nothing while nothing changes, and of a hundred frames at once the
// first and the last.
func TestOnlyAChangeIsWritten(t *testing.T) {
	bubble(t, 20, 3, func(t *testing.T, of *Terminal, shown *display) {
		frame := func(n int) []string {
			return []string{fmt.Sprintf("%020d", n), strings.Repeat(".", 20), strings.Repeat(".", 20)}
		}
		of.Show(frame(0), NoCursor, false)
		rest()
		before := shown.writes
		for range 10 {
			of.Show(frame(0), NoCursor, false)
			rest()
		}
		<-time.After(time.Hour)
		if shown.writes != before {
			t.Errorf("%d writes of what was there", shown.writes-before)
		}
		for n := range 100 {
			of.Show(frame(n+1), NoCursor, false)
			synctest.Wait()
		}
		rest()
		if wrote := shown.writes - before; wrote != 2 {
			t.Errorf("%d writes of a hundred frames at once", wrote)
		}
		if got := shown.shows.Lines()[0]; got != frame(100)[0] {
			t.Errorf("%q is shown", got)
		}
	})
}

// TestABorrowerHasTheTerminal lends it to a program that leaves it in disorder.
func TestABorrowerHasTheTerminal(t *testing.T) {
	bubble(t, 20, 2, func(t *testing.T, of *Terminal, shown *display) {
		frame := []string{strings.Repeat("a", 20), strings.Repeat("b", 20)}
		of.Show(frame, NoCursor, false)
		rest()
		if !shown.shows.Alternate() {
			t.Error("the dashboard is on the first screen")
		}
		failed := errors.New("the program failed")
		err := of.Lend(func() error {
			if modes := shown.shows.Modes(); shown.shows.Alternate() || modes.Paste {
				t.Errorf("lent with %+v", modes)
			}
			of.Show([]string{strings.Repeat("c", 20), frame[1]}, NoCursor, true)
			of.reclaim()
			_, _ = fmt.Fprint(shown, "\x1b[2;2r\x1b[31mborrowed")
			rest()
			text := strings.Join(shown.shows.Lines(), "")
			if !strings.Contains(text, "borrowed") || strings.Contains(text, "c") {
				t.Errorf("the borrower sees %q", text)
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("the loan ends with %v", err)
		}
		rest()
		if got := shown.shows.Lines(); got[0] != strings.Repeat("c", 20) || got[1] != frame[1] {
			t.Errorf("shown after it: %q", got)
		}
		if err := of.Give(); err != nil || shown.shows.Alternate() {
			t.Errorf("given back: %v, on the second screen %t", err, shown.shows.Alternate())
		}
	})
}
