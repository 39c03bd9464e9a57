package sandbox

import (
	"bytes"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// probeWithin is how long the probe of a holder may take.
const probeWithin = 5 * time.Second

// Check returns an error if the sandbox cannot be held here, before anything is started.
func (r *Request) Check() error {
	by := r.By()
	if by == Bubblewrap {
		return probe()
	}
	if by == SandboxExec && runtime.GOOS != "darwin" {
		return core.Errorf(core.NotImplemented, "the sandbox %s is held by %s, which this system does not have",
			r.Name, by)
	}
	if _, err := exec.LookPath(programs[by]); err != nil {
		return core.Errorf(core.ToolNotFound, "the sandbox %s needs %s, and there is no program %s on PATH", r.Name, by,
			programs[by])
	}
	if r.Settings.Network == NetworkHosts || r.Settings.Network == NetworkLoopback {
		return core.Errorf(core.NotImplemented, "the sandbox %s: only bubblewrap holds the network %s", r.Name,
			r.Settings.Network)
	}
	return nil
}

// probe tries bubblewrap once in the life of this process.
var probe = sync.OnceValue(func() error {
	if _, err := exec.LookPath("bwrap"); err != nil {
		e := core.Errorf(core.ToolNotFound, "the sandbox needs bubblewrap, and there is no program bwrap on PATH")
		e.Hint = "Install it: apt install bubblewrap (dnf install bubblewrap, pacman -S bubblewrap)."
		e.Actions = []string{"sudo apt install bubblewrap"}
		return e
	}
	cmd := exec.Command("bwrap", //nolint:noctx // the timer below ends it
		"--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/",
		"--proc", "/proc", "--dev", "/dev", "--cap-drop", "ALL", "--", "/bin/sh", "-c", ":")
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Start()
	if err == nil {
		timer := time.AfterFunc(probeWithin, func() { _ = cmd.Process.Kill() })
		err = cmd.Wait()
		timer.Stop()
	}
	if err != nil {
		e := core.Errorf(core.PermissionDenied, "bubblewrap makes no sandbox here: %s",
			strings.TrimSpace(said.String()+" "+err.Error()))
		e.Hint = "The system must let users make namespaces (kernel.unprivileged_userns_clone, an AppArmor profile " +
			"for bwrap)."
		return e
	}
	return nil
})
