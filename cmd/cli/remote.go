package cli

import (
	"context"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/process"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// remoteWord is the subcommand that answers another host.
const remoteWord = registry.RemoteWord

// remoteIn are its flags.
type remoteIn struct {
	verb.Allowing
	ReadOnly bool     `help:"The same as --allow=reads"`
	Session  []string `help:"Confine the other host to these sessions (default: all)"`
	Proxy    string   `help:"Answer for a host without Cupola, by its tmux over ssh"`
}

// remoteFlags binds the flags and makes their usage errors.
var remoteFlags = registry.Define(registry.Spec[*verb.Env, remoteIn, struct{}]{Name: remoteWord})

// remoteCommand makes the subcommand that answers the calls of another host.
func remoteCommand(p *program) *cobra.Command {
	return subcommand(&cobra.Command{
		Use: remoteWord, Short: "Answer the Cupola of another host, which starts this over ssh",
		Long: "Speaks the protocol between hosts on standard input and output. A host that adds this one\n" +
			"('cupola hosts-add') starts it over ssh. As the forced command of a key in ~/.ssh/authorized_keys\n" +
			"it says what that key may do; without a flag, everything:\n" +
			"  command=\"~/.local/bin/cupola remote --read-only\",restrict ssh-ed25519 AAAA...",
		Example: examples([]string{"cupola remote", "cupola remote --read-only --session=api"}),
	}, remoteFlags, func(ctx context.Context, in remoteIn) error {
		p.line.globals.Errors = "stderr" // the other host reads standard output
		if in.Proxy != "" {
			if err := p.stepInFor(in.Proxy); err != nil {
				return err
			}
		}
		if in.ReadOnly {
			in.Allow = string(registry.Reads)
		}
		if in.Allow == "" { // a key without a level has a shell
			in.Allow, in.Commands = string(registry.Destroys), in.Commands || len(in.Session) == 0
		}
		allow := in.Border(in.Session)
		allow.Asking = "this key"
		allow.Hint = "The line of the key in ~/.ssh/authorized_keys there says what it may do: 'cupola remote' takes " +
			"--allow."
		return p.wiring.network.Server(allow).Serve(ctx, p.Stdin, p.Stdout)
	})
}

// listWithin is how long the list of a host's processes may take.
const listWithin = 5 * time.Second

// stepInFor makes this program answer for a host without Cupola: its tmux and its processes are asked over ssh, and
// its records lie in folders of their own.
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
