package lifecycle

import (
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
)

// socketed is an engine that only knows its socket.
type socketed struct{ engine.Engine }

func (socketed) SocketPath() string { return "/s" }

// jobsIn are the jobs of an engine with a runtime folder; empty is none.
func jobsIn(folder string) *Jobs {
	dir := rundir.New(socketed{}, folder, "", time.Now, slog.New(slog.DiscardHandler))
	return &Jobs{engine: socketed{}, dir: dir, observer: observe.New(observe.Options{Dir: dir})}
}

// BenchmarkLeftovers looks for what agents left behind beside 500 processes of this user's without a terminal, as every
// status does: with a look at all of them, and where no pane has ended since the last one.
func BenchmarkLeftovers(b *testing.B) {
	for range 500 {
		cmd := exec.Command("/bin/sleep", "600")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Env = append(os.Environ(), "FILLER="+strings.Repeat("x", 2000))
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	}
	for name, jobs := range map[string]*Jobs{"all": jobsIn(""), "none ended": jobsIn(b.TempDir())} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				snapshot := &core.Snapshot{Taken: time.Now()}
				if left, err := jobs.LeftoversBeside(b.Context(), snapshot, ""); err != nil || len(left) != 0 {
					b.Fatal(left, err)
				}
			}
		})
	}
}
