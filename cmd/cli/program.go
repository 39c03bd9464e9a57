// Package cli is the command line: it reads arguments, chooses the face, wires the parts
// together and runs what needs a terminal. Verbs come from the catalogue; nothing here knows
// what any of them does.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"

	"github.com/spf13/cobra"

	"cupola/cmd/dashboard"
	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/system/plainfile"
	"cupola/core/verb"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// Options are the streams, arguments and environment of the program; the zero value of each is the process's own.
type Options struct {
	Version string
	Args    []string
	Stdin   *os.File
	Stdout  *os.File
	Stderr  *os.File
	Getenv  func(string) string
}

// program is one run: it leads from the command line through what verbs work with to the face.
type program struct {
	*Options
	line   *line
	wiring *wiring
	out    *faces
	tree   *tree
	// stop ends the wait for signals, and interrupted is closed by the first one; nil until it began.
	stop        context.CancelFunc
	interrupted <-chan struct{}
}

// Main runs the program and returns its exit status.
func Main(opts Options) int {
	opts.Args = protocolArgs(opts.Args)
	if len(opts.Args) > 0 && opts.Args[0] == hookWord {
		return hook(context.Background(), opts)
	}
	if len(opts.Args) > 0 && opts.Args[0] == holdWord {
		return holdSandbox(context.Background(), opts)
	}
	if len(opts.Args) > 0 && opts.Args[0] == enterWord {
		return enterSandbox(context.Background(), opts)
	}
	if len(opts.Args) > 0 && terminalWords[opts.Args[0]].run != nil {
		return runTerminals(terminalWords[opts.Args[0]], opts)
	}
	tools := bridge.Open(plainfile.Folder(config.PathsOf(opts.Getenv).Bridges()), exec.LookPath)
	return newProgram(&opts, tools, catalog.With(tools)).main(context.Background())
}

func newProgram(opts *Options, tools *bridge.Bridges, catalog *registry.Catalog) *program {
	w := &wiring{opts: opts, catalog: catalog, bridges: tools}
	p := &program{Options: opts, wiring: w, line: newLine(catalog, opts.Args, w)}
	p.out = newFaces(opts, p.line)
	p.tree = &tree{
		program: p, line: p.line, out: p.out, ask: prompter{
			opts: opts, pause: func() { p.out.reporter.pause() },
			accessible: func() bool { return p.out.look != nil && p.out.look.Readable() },
		},
		words: completer{catalog: catalog, names: w, getenv: opts.Getenv},
	}
	return p
}

func (p *program) main(ctx context.Context) (status int) {
	defer func() {
		if r := recover(); r != nil {
			_ = p.settle()
			p.wiring.env.Log.Error("panic", "value", r, "stack", string(debug.Stack()))
			status = p.out.fail(&core.Error{Code: core.InternalError, Message: fmt.Sprintf("internal error: %v", r)})
		}
		if p.stop != nil {
			p.stop()
		}
		p.wiring.close()
	}()
	if err := p.execute(ctx); err != nil {
		return p.out.fail(err)
	}
	return p.out.status
}

func (p *program) execute(ctx context.Context) error {
	err := p.tree.execute(ctx)
	err = cmp.Or(p.settle(), err) // cobra may have refused the line before
	if errors.Is(err, errAnswered) {
		return nil
	}
	return err
}

// settle chooses the face by the global flags, as far as they were read, and makes what verbs work with. It does
// nothing once that is made.
func (p *program) settle() error {
	if p.wiring.env != nil {
		return nil
	}
	err := p.line.settle(p.Getenv, look.Terminal(p.Stdout))
	if p.line.piped(p.Options) && !p.line.globals.Quiet {
		warn(p.Stderr, "this is JSON, as standard output is a pipe; --human prints text")
	}
	p.wiring.human, p.wiring.timeout = !p.line.robotic, p.line.globals.HostTimeout
	p.open()
	return err
}

// open makes what the verbs of the command line work with.
func (p *program) open() {
	p.wiring.wire()
	env := p.wiring.env
	env.Stdin = func() (string, error) { return readStdin(p.Stdin, p.interrupted) }
	env.OwnPane = p.wiring.ownPane
	env.Progress = p.out.attach(env)
	if p.wiring.person() {
		ask := p.tree.ask
		env.Confirm, env.Choose, env.Pick = ask.confirm, ask.choose, ask.pick
	}
}

// begin runs before every command, when its flags are read.
func (p *program) begin(cmd *cobra.Command) error {
	if err := p.settle(); err != nil {
		return err
	}
	if p.line.flags.Given("version") != "" {
		if p.line.explicit() {
			return cmp.Or(p.runNamed(cmd.Context(), "version"), errAnswered)
		}
		return cmp.Or(p.out.print("cupola "+p.Version+"\n"), errAnswered)
	}
	ctx, stop := interruptible(cmd.Context(), p.line.grace())
	p.stop, p.interrupted = stop, ctx.Done()
	cmd.SetContext(ctx)
	return nil
}

// run answers with a verb on the face that was chosen.
func (p *program) run(ctx context.Context, verb *registry.Verb, input any) error {
	verb, input, err := p.wiring.network.OnHosts(ctx, p.wiring.env, verb, input, p.line.globals.Host,
		p.out.form(registry.As(verb, input)))
	if err != nil {
		return err
	}
	return p.out.run(ctx, verb, input)
}

// runNamed answers with a verb without input.
func (p *program) runNamed(ctx context.Context, name string) error {
	verb := p.line.catalog.Find(name)
	return p.run(ctx, verb, verb.Zero())
}

// bare is the program without a verb: the dashboard on a terminal that can move its cursor, the status everywhere
// else.
func (p *program) bare(ctx context.Context) error {
	if !p.wiring.person() || p.Getenv("TERM") == "dumb" {
		return p.runNamed(ctx, "status")
	}
	if len(p.line.globals.Host) > 0 {
		argv, err := p.wiring.network.Dashboard(ctx, p.line.globals.Host)
		if err != nil {
			return err
		}
		return takeOver(argv)
	}
	f, err := p.wiring.env.Fleet()
	if err != nil {
		return err
	}
	return p.dashboard(ctx, f, p.wiring)
}

// dashboard shows a fleet until its user quits. What the user does there has what the fleet's wiring opens.
func (p *program) dashboard(ctx context.Context, f *fleet.Fleet, of *wiring) error {
	p.out.reporter.silence()
	shown := &dashboard.Dashboard{
		Env: p.wiring.env, Network: p.wiring.network, Look: p.out.look, Getenv: p.Getenv, Stdin: p.Stdin,
		Stdout: p.Stdout, Colour: p.line.globals.Color,
		OneCall: func() (*verb.Env, func()) {
			one := of.forCall(nil)
			return one.env, one.close
		},
	}
	return shown.Run(ctx, f)
}

// own returns the command of a name that is no verb, and what declares its flags; nil for none.
func (p *program) own(name string) (*cobra.Command, *registry.Verb) {
	switch name {
	case "demo":
		runner := &demoRunner{opts: p.Options, wiring: p.wiring, out: p.out, dashboard: p.dashboard}
		return runner.command(), demoFlags
	case "man":
		return manCommand(p.line.catalog, p.out), manWords
	case "mcp":
		return mcpCommand(p.wiring, p.out), mcpFlags
	case registry.AgentWord:
		return agentCommand(p.wiring, p.out), agentFlags
	case remoteWord:
		return remoteCommand(p), remoteFlags
	case hookWord:
		return hookCommand(), nil
	case "scripted":
		return scriptedCommand(), nil
	case core.SetupWord:
		return setupCommand(), nil
	case protocolWord:
		return protocolCommand(p), nil
	}
	return nil, nil
}

// maxStdin bounds what is read from standard input, in bytes.
const maxStdin = 16 << 20

// readStdin returns all of standard input, and stops reading when a signal asks the program
// to end.
func readStdin(in io.Reader, interrupted <-chan struct{}) (string, error) {
	var text []byte
	var err error
	read := make(chan struct{})
	go func() {
		defer close(read)
		text, err = io.ReadAll(io.LimitReader(in, maxStdin+1))
	}()
	select {
	case <-read:
	case <-interrupted:
		return "", interruptedError()
	}
	if err == nil && len(text) > maxStdin {
		err = fmt.Errorf("more than %d bytes", maxStdin)
	}
	if err != nil {
		return "", core.Errorf(core.IOError, "standard input: %w", err)
	}
	return string(text), nil
}
