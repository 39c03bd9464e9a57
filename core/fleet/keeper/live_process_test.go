package keeper

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/wire"
)

// dashboardEnv is the runtime folder, and dashboardTmux the server, of a process
// that is to have a Live.
const (
	dashboardEnv  = "CUPOLA_TEST_DASHBOARD"
	dashboardTmux = "CUPOLA_TEST_DASHBOARD_TMUX"
)

// TestDashboardProcess is not a test: started by the tests below, it reads a
// Live, says on a line of its own when it is the keeper, and ends with its
// standard input.
func TestDashboardProcess(t *testing.T) {
	dir := os.Getenv(dashboardEnv)
	if dir == "" {
		t.Skip("only for processes that other tests start")
	}
	server := fleettest.EngineAt(t, os.Getenv(dashboardTmux))
	l := lively(t, openStreams(t, fleettest.BuiltinKinds(t), dir, Options{Engine: server}))
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		l.stop()
	}()
	for frame := range l.Frames {
		fmt.Println("keeper:", frame.Keeper)
	}
}

// dashboard starts another process with a Live and waits until it is the
// keeper.
func dashboard(t *testing.T, dir string, m *enginetest.Tmux) *os.Process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDashboardProcess$")
	cmd.Env = append(os.Environ(), dashboardEnv+"="+dir, dashboardTmux+"="+m.Socket)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	keeper, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		seated := sync.OnceFunc(func() { close(keeper) })
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if lines.Text() == "keeper: true" {
				seated()
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		input.Close()
		<-ended
		_ = cmd.Wait()
	})
	select {
	case <-keeper:
	case <-ended:
		t.Fatal("the other process ended")
	case <-time.After(testTimeout):
		t.Fatal("the other process is not the keeper")
	}
	return cmd.Process
}

func TestALiveTakesOverFromAKilledKeeper(t *testing.T) {
	t.Parallel()
	dir := fleettest.RuntimeDir(t)
	f, m := onTmux(t, dir)
	keeper := dashboard(t, dir, m.Start())
	s := watching(t, f, m)
	pane, tty := s.open()
	s.Display([]core.PaneID{pane})
	s.prints(tty, "before\r\n")
	s.shows(pane, "before")
	s.until("the pane is in the snapshot", func() bool { return s.snapshot.Pane(pane) != nil })
	if s.keeper {
		t.Fatal("there are two keepers")
	}
	revision := s.snapshot.Revision
	if err := keeper.Kill(); err != nil {
		t.Fatal(err)
	}
	s.prints(tty, "meanwhile\r\n")
	s.shows(pane, "meanwhile")
	s.until("this process is the keeper", func() bool { return s.keeper })
	s.until("the keeper changed", func() bool {
		return s.events[len(s.events)-1].Type == core.Resynced && s.snapshot.Revision > revision
	})
	s.prints(tty, "after\r\n")
	s.shows(pane, "after")
}

func TestALiveShowsItsOwnSnapshotWhileTheKeeperIsSuspended(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	before := wire.DefaultTimeouts
	t.Cleanup(func() { wire.DefaultTimeouts = before })
	wire.DefaultTimeouts.Welcome = 2 * time.Second
	dir := fleettest.RuntimeDir(t)
	f, m := onTmux(t, dir)
	enginetest.Suspend(t, dashboard(t, dir, m.Start()).Pid)
	s := watching(t, f, m)
	s.Display([]core.PaneID{"%0"})
	s.until("the pane is seen", func() bool { _, seen := s.screens["%0"]; return seen })
	if s.snapshot.Pane("%0") == nil {
		t.Errorf("%+v", s.snapshot)
	}
	s.until("it is told why", func() bool { return len(s.events) > 0 && s.events[0].Message != "" })
}
