package process

import (
	"errors"
	"syscall"
	"testing"
)

func TestAReusedPidIsNotSignalled(t *testing.T) {
	p, _ := start(t, "echo ready; while :; do sleep 0.05; done")
	earlier := p
	earlier.Start--
	if err := Signal(earlier, syscall.SIGKILL); !errors.Is(err, ErrGone) || !p.Alive() {
		t.Errorf("%v, alive %t", err, p.Alive())
	}
	for _, pid := range []int{1, 0, -1, -p.PID} {
		if err := Signal(Proc{PID: pid}, syscall.Signal(0)); err == nil {
			t.Errorf("%d was signalled", pid)
		}
	}
}
