package cli

import (
	"context"
	"os/exec"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/process"
)

// listWithin is how long the list of a host's processes may take.
const listWithin = 5 * time.Second

// stepInFor makes this program answer for a host without Cupola: its tmux and its processes are asked over ssh, and
// what is recorded of it lies in folders of its own.
func (p *program) stepInFor(name string) error {
	env := p.wiring.env
	hosts := host.Of(env.Settings().Hosts)
	h, known := hosts.Find(name)
	if !known {
		return hosts.UnknownError(name)
	}
	if _, err := env.Hosts.Argv(h, false, ""); err != nil {
		return err
	}
	if err := env.Close(); err != nil {
		return core.Errorf(core.IOError, "%w", err)
	}
	p.wiring.proxied = h
	p.open()
	return nil
}

// listProcesses lists the processes of the host that this program answers for.
func (w *wiring) listProcesses() ([]byte, error) {
	ctx, stop := context.WithTimeout(context.Background(), listWithin)
	defer stop()
	argv := w.overSSH("sh", "-c", process.ListCommand)
	return exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
}

// overSSH returns the command that runs another one on the host that this program answers for.
func (w *wiring) overSSH(argv ...string) []string { return w.env.Hosts.Over(w.proxied, argv...) }
