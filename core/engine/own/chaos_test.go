package own_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
	"cupola/core/engine/own/wire"
)

// TestDeepThirtyKills kills server, holder, and both at once, 30 times each, under ten panes that are typed to
// meanwhile. It takes minutes, and runs where CUPOLA_DEEP is set.
func TestDeepThirtyKills(t *testing.T) {
	enginetest.Deep(t)
	const rounds, panes = 30, 10
	s := private(t)
	lived := map[string]int{}
	ways := []string{"server", "holder", "both"}
	if only := os.Getenv("CUPOLA_DEEP"); slices.Contains(ways, only) {
		ways = []string{only}
	}
	var locs []engine.Location // those of one way outlive it
	for _, killed := range ways {
		for round := range rounds {
			if len(locs) == 0 {
				for i := range panes {
					locs = append(locs, createIn(t, s, fmt.Sprintf("s%d", i),
						`stty -echo; printf '\033[?2004h\033[?1h\033]2;a title\007here\n'; while read -r x; do echo "got $x"; done`))
				}
				for _, loc := range locs {
					shows(t, s, loc.Pane, "here")
				}
			}
			awaitKept(t, s)
			holder, serves := awaitHolder(t, s, 0), pidOf(t, s)
			typed := make(chan error, 3)
			for i := range 3 {
				go func() { typed <- s.Paste(t.Context(), locs[i].Pane, fmt.Appendf(nil, "word%dx%d\n", round, i)) }()
			}
			if killed != "holder" {
				_ = syscall.Kill(serves, syscall.SIGKILL)
			}
			if killed != "server" {
				_ = syscall.Kill(holder, syscall.SIGKILL)
			}
			for range 3 {
				if err := <-typed; err != nil && killed != "both" && !strings.Contains(err.Error(), "replaced") {
					t.Errorf("%s, round %d: %v", killed, round, err)
				}
			}
			l, err := s.List(t.Context(), 0)
			if killed == "both" { // whether the holder was in time is seen from the programs
				enginetest.Eventually(t, enginetest.Timeout, func() bool {
					l, err = s.List(t.Context(), 0)
					return len(l.Panes) == panes || !running(locs[0].PID)
				}, nil)
			}
			if len(l.Panes) != panes || err != nil {
				if killed != "both" {
					t.Fatalf("%s, round %d: %d panes, %v", killed, round, len(l.Panes), err)
				}
				if lost, _ := own.Lost(s.SocketPath()); !strings.Contains(lost, "s0 (1 pane)") {
					t.Errorf("round %d: the lost are %q, %v", round, lost, err)
				}
				for _, loc := range locs {
					enginetest.Eventually(t, enginetest.Timeout, func() bool { return !running(loc.PID) }, nil)
				}
				locs = nil
				continue
			}
			lived[killed]++
			for i, loc := range locs {
				screens, err := s.Capture(t.Context(), engine.Ask{Pane: loc.Pane, History: 5000})
				if err != nil || len(screens) != 1 || screens[0].View.Partial || screens[0].Title != "a title" ||
					!strings.Contains(screens[0].Text(), "here") {
					t.Fatalf("%s, round %d, pane %d: %+v, %v", killed, round, i, screens, err)
				}
				word := fmt.Sprintf("after%dx%d", round, i)
				if err := s.Paste(t.Context(), loc.Pane, []byte(word+"\n")); err != nil {
					t.Fatal(err)
				}
				shows(t, s, loc.Pane, word)
				for line := range strings.SplitSeq(shown(t, s, loc.Pane), "\n") {
					if strings.Count(line, "word")+strings.Count(line, "after") > 1 {
						t.Errorf("%s, round %d: glued: %q", killed, round, line)
					}
				}
			}
		}
	}
	held, _ := wire.ReadHeld(s.SocketPath())
	t.Logf("rounds of %d in which all lived: %v; at last %+v", rounds, lived, held)
}
