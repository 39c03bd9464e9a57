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
	"slices"
	"time"

	"github.com/spf13/cobra"

	"cupola/cmd/dashboard"
	"cupola/cmd/look"
	"cupola/cmd/network"
	"cupola/cmd/records"
	"cupola/core"
	"cupola/core/alert/notify"
	"cupola/core/bridge"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/host"
	"cupola/core/system/plainfile"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/robot"
)

// Options is what the program runs with; the zero value of each is the
// process's own.
type Options struct {
	Version string
	Args    []string
	Stdin   *os.File
	Stdout  *os.File
	Stderr  *os.File
	Getenv  func(string) string
}

// program is one run.
type program struct {
	Options
	catalog *registry.Catalog
	bridges *bridge.Bridges
	// line is the command line as cobra reads it, flags its global flags and globals their values.
	line    registry.CommandLine
	flags   registry.GlobalFlags
	globals registry.Globals
	// deps is what verbs work with; nil until the flags are read.
	deps *verb.Env
	// proxied is the host without Cupola that this program answers for, over its tmux; nil for none.
	proxied *host.Host
	// network reaches other hosts.
	network *network.Network
	robotic bool
	// warnings are those of the command line, such as of deprecated flags.
	warnings []string
	// failed is the error of help, which cobra does not pass on.
	failed error
	// stop ends the wait for signals; nil until it began.
	stop context.CancelFunc
	// records are the store and what is kept in it; nil until the flags are read.
	records *records.Records
	// notifier notifies the user of alerts; nil until there is a fleet.
	notifier *notify.Notifier
	started  time.Time
	// reporter reports the progress of a long operation; nil reports none.
	reporter *reporter
	// look chooses colours and signs; nil until the flags are read.
	look *look.Look
	// allHelp is true if help lists all commands rather than those of every day.
	allHelp bool
	// status is the exit status of the verb that ran.
	status int
	// interrupted is closed when a signal asks the program to end.
	interrupted <-chan struct{}
}

// Main runs the program and returns its exit status.
func Main(opts Options) int {
	if len(opts.Args) > 0 && opts.Args[0] == hookWord {
		return hook(context.Background(), opts)
	}
	if len(opts.Args) > 0 && terminalWords[opts.Args[0]] != nil {
		return runTerminals(terminalWords[opts.Args[0]], opts)
	}
	tools := bridge.Open(plainfile.Folder(config.PathsOf(opts.Getenv).Bridges()), exec.LookPath)
	p := &program{
		Options: opts, bridges: tools, catalog: catalog.With(tools), flags: registry.NewGlobalFlags(),
		started: time.Now(),
	}
	return p.main(context.Background())
}

func (p *program) main(ctx context.Context) (status int) {
	defer func() {
		if r := recover(); r != nil {
			if p.deps == nil {
				_ = p.settle()
			}
			p.deps.Log.Error("panic", "value", r, "stack", string(debug.Stack()))
			status = p.fail(&core.Error{Code: core.InternalError, Message: fmt.Sprintf("internal error: %v", r)})
		}
		p.close()
	}()
	if err := p.execute(ctx); err != nil {
		return p.fail(err)
	}
	return p.status
}

func (p *program) close() {
	if p.stop != nil {
		p.stop()
	}
	p.network.Close()
	_ = p.deps.Close()
	if p.notifier != nil {
		p.notifier.Wait()
	}
	if p.records != nil {
		_ = p.records.Close()
	}
}

func (p *program) execute(ctx context.Context) error {
	p.line = p.catalog.CommandLine(p.Args)
	err := tree{p}.commands().ExecuteContext(ctx)
	if p.deps == nil { // cobra refused the line
		err = cmp.Or(p.settle(), err)
	}
	if err = cmp.Or(err, p.failed); errors.Is(err, errAnswered) {
		return nil
	}
	return err
}

// bare is the program without a verb: the dashboard on a terminal that can move its cursor, the status everywhere
// else.
func (p *program) bare(ctx context.Context) error {
	if p.robotic || !look.Terminal(p.Stdin) || !look.Terminal(p.Stdout) || p.Getenv("TERM") == "dumb" {
		verb := p.catalog.Find("status")
		return p.run(ctx, verb, verb.Zero(), nil)
	}
	if len(p.globals.Host) > 0 {
		argv, err := p.network.Dashboard(ctx, p.globals.Host)
		if err != nil {
			return err
		}
		return takeOver(argv)
	}
	f, err := p.deps.Fleet()
	if err != nil {
		return err
	}
	return p.dashboard(ctx, f)
}

// dashboard shows a fleet until its user quits.
func (p *program) dashboard(ctx context.Context, f *fleet.Fleet) error {
	p.reporter.silence()
	shown := &dashboard.Dashboard{
		Env: p.deps, Network: p.network, Look: p.look, Getenv: p.Getenv, Stdin: p.Stdin, Stdout: p.Stdout,
		Colour: p.globals.Color,
		OneCall: func() (*verb.Env, func()) {
			one := p.forCall(nil)
			return one.deps, one.close
		},
	}
	return shown.Run(ctx, f)
}

// begin runs before every command, when its flags are read.
func (p *program) begin(cmd *cobra.Command) error {
	if err := p.settle(); err != nil {
		return err
	}
	if p.flags.Given("version") != "" {
		return cmp.Or(p.printVersion(cmd.Context()), errAnswered)
	}
	ctx, stop := interruptible(cmd.Context(), p.grace())
	p.stop, p.interrupted = stop, ctx.Done()
	cmd.SetContext(ctx)
	return nil
}

// printVersion answers --version: a bare line, unless a robot flag is explicit.
func (p *program) printVersion(ctx context.Context) error {
	if p.explicit() {
		verb := p.catalog.Find("version")
		return p.run(ctx, verb, verb.Zero(), nil)
	}
	return p.print("cupola " + p.Version + "\n")
}

// print writes a text to standard output.
func (p *program) print(text string) error {
	if _, err := io.WriteString(p.Stdout, text); err != nil {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}

// reply answers a program with a value that is no verb's answer.
func (p *program) reply(ctx context.Context, command string, value any) error {
	p.status = p.face().Answer(ctx, command, value)
	return nil
}

// run answers with a verb on the face that was chosen.
func (p *program) run(ctx context.Context, verb *registry.Verb, input any, warnings []string) error {
	verb, input, err := p.network.Elsewhere(ctx, verb, input, p.globals.Host, p.form(registry.As(verb, input)))
	if err != nil {
		return err
	}
	if p.robotic {
		face := p.face()
		face.Warnings = nil // Run adds them
		p.status = face.Run(ctx, verb, input, warnings)
		return nil
	}
	return people{p}.human(ctx, verb, input, warnings)
}

// form is what the answer of a verb of another host is wanted for.
func (p *program) form(verb *registry.Verb) host.Form {
	if !p.robotic {
		return host.Report
	}
	switch p.face().Usual(verb) {
	case "terse":
		return host.Terse
	case "markdown":
		return host.Markdown
	}
	return host.Document
}

// fail reports a failure on the face that was chosen.
func (p *program) fail(err error) int {
	if p.robotic {
		name := p.line.Command
		if p.catalog.Find(name) == nil && !slices.Contains(registry.Others, name) {
			name = ""
		}
		return p.face().Fail(name, err)
	}
	e := corrector{p}.suggestions().Correct(advice.Complete(err))
	printer := people{p}.printer(p.Stderr)
	parts, ok := e.Details.(interface{ Report() *report.Report })
	if _, says := e.Details.(interface{ Verdict() report.Line }); says && ok {
		_ = people{p}.printer(p.Stdout).Print(parts.Report())
		return robot.ExitStatus(e.Code, p.globals.ExitCodes == "detailed")
	}
	if ok {
		shown := *e
		shown.Hint, shown.Actions = "What became of it at each pane:", []string{}
		if own, ok := e.Details.(interface{ Lead() string }); ok {
			shown.Hint = cmp.Or(own.Lead(), e.Hint)
		}
		e = &shown
	}
	_ = printer.Fail(e)
	if ok {
		_ = printer.Print(parts.Report())
	}
	return robot.ExitStatus(e.Code, p.globals.ExitCodes == "detailed")
}

func (p *program) face() *robot.Face {
	return &robot.Face{
		Env: p.deps, Globals: p.globals, Stdout: pausing{p.Stdout, p.reporter},
		Stderr: pausing{p.Stderr, p.reporter}, Now: time.Now, Started: p.started,
		DefaultFormat: p.Getenv("CUPOLA_ROBOT_FORMAT"), Revision: p.revision,
		Correct:  corrector{p}.suggestions().Correct,
		Warnings: p.warnings,
	}
}

// revision returns that of the last known snapshot.
func (p *program) revision() core.Revision {
	if !p.deps.Opened() {
		return 0
	}
	f, err := p.deps.Fleet()
	if err != nil {
		return 0
	}
	return f.Dir.Revision(context.Background())
}

// maxStdin bounds what is read from standard input, in bytes.
const maxStdin = 16 << 20

// readStdin returns all of standard input, and stops reading when a signal asks the program
// to end.
func (p *program) readStdin() (string, error) {
	var text []byte
	var err error
	read := make(chan struct{})
	go func() {
		defer close(read)
		text, err = io.ReadAll(io.LimitReader(p.Stdin, maxStdin+1))
	}()
	select {
	case <-read:
	case <-p.interrupted:
		return "", &core.Error{Code: core.Cancelled, Message: interrupted}
	}
	if err == nil && len(text) > maxStdin {
		err = fmt.Errorf("more than %d bytes", maxStdin)
	}
	if err != nil {
		return "", core.Errorf(core.IOError, "standard input: %w", err)
	}
	return string(text), nil
}
