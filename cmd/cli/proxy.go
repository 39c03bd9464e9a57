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
func (p *program) stepInFor(ctx context.Context, name string) error {
	settings := p.deps.Settings()
	hosts := host.Of(settings.Hosts)
	h, known := hosts.Find(name)
	if !known {
		return hosts.UnknownError(name)
	}
	if _, err := p.deps.Hosts.Argv(h, false, ""); err != nil {
		return err
	}
	p.proxied = h
	if err := p.deps.Close(); err != nil {
		return core.Errorf(core.IOError, "%w", err)
	}
	p.deps = p.wire()
	process.SetRemote(func() ([]byte, error) {
		ctx, stop := context.WithTimeout(ctx, listWithin)
		defer stop()
		argv := p.overSSH("sh", "-c", process.ListRemote)
		return exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	})
	return nil
}

// overSSH returns the command that runs another one on the host that this program answers for.
func (p *program) overSSH(argv ...string) []string { return p.deps.Hosts.Over(p.proxied, argv...) }
