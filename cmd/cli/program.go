package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/budget"
	"cupola/core/config"
	"cupola/core/notify"
	"cupola/core/plainfile"
	"cupola/core/report"
	"cupola/robot"
	"cupola/robot/advice"
	"cupola/robot/command"
	"cupola/robot/registry"
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
	inv     *invocation
	deps    *registry.Deps
	robotic bool
	// journal records prompts, events and alerts; nil until there is a fleet.
	journal *journal
	// notifier notifies the user of alerts; nil until there is a fleet.
	notifier *notify.Notifier
	// book compares usage, which is kept in counted, with ceilings; nil until it is needed.
	book     *budget.Book
	counted  *journal
	bookOnce sync.Once
	started  time.Time
	// reporter reports the progress of a long operation; nil reports none.
	reporter *reporter
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
	tools := bridge.Open(plainfile.Folder(config.PathsOf(opts.Getenv).Bridges()), exec.LookPath)
	p := &program{Options: opts, bridges: tools, catalog: command.CatalogOf(tools), started: time.Now()}
	return p.main(context.Background())
}

func (p *program) main(ctx context.Context) (status int) {
	defaults, envErr := p.environment()
	inv, err := scan(p.catalog, p.Args)
	p.inv = inv
	inv.globals = withDefaults(inv.globals, defaults)
	p.robotic = p.chooseRobot()
	p.deps = p.wire()
	defer func() {
		if r := recover(); r != nil {
			p.deps.Log.Error("panic", "value", r, "stack", string(debug.Stack()))
			status = p.fail(&core.Error{Code: core.InternalError, Message: fmt.Sprintf("internal error: %v", r)})
		}
		_ = p.deps.Close()
		if p.notifier != nil {
			p.notifier.Wait()
		}
		for _, kept := range []*journal{p.journal, p.counted} {
			if kept != nil {
				_ = kept.Close()
			}
		}
	}()
	if envErr != nil {
		return p.fail(envErr)
	}
	if err != nil {
		return p.fail(err)
	}
	if err := p.execute(ctx); err != nil {
		return p.fail(err)
	}
	return p.status
}

func (p *program) execute(ctx context.Context) error {
	if p.inv.version {
		return p.printVersion(ctx)
	}
	if p.inv.help && p.inv.explicit() {
		return p.helpForRobots(ctx)
	}
	ctx, stop := interruptible(ctx, p.grace())
	defer stop()
	p.interrupted = ctx.Done()
	return tree{p}.follow(ctx, p.inv.words)
}

// printVersion answers --version: a bare line, unless a robot flag is explicit.
func (p *program) printVersion(ctx context.Context) error {
	if p.inv.explicit() {
		verb := p.catalog.Find("version")
		return p.run(ctx, verb, verb.Zero(), nil)
	}
	_, err := fmt.Fprintln(p.Stdout, "cupola "+p.Version)
	return err
}

// run answers with a verb on the face that was chosen.
func (p *program) run(ctx context.Context, verb *registry.Verb, input any, warnings []string) error {
	if p.robotic {
		face := p.face()
		face.Warnings = nil // Run adds them
		p.status = face.Run(ctx, verb, input, warnings)
		return nil
	}
	return p.human(ctx, verb, input, warnings)
}

// fail reports a failure on the face that was chosen.
func (p *program) fail(err error) int {
	name := ""
	if p.inv != nil && p.inv.verb != nil {
		name = p.inv.verb.Name
	} else if p.inv != nil && len(p.inv.words) > 0 {
		if word := p.inv.words[0]; p.catalog.Find(word) != nil || slices.Contains(others, word) {
			name = word
		}
	}
	if p.robotic {
		return p.face().Fail(name, err)
	}
	e := corrector{p}.correct(advice.Complete(err))
	printer := p.printer(p.Stderr)
	parts, told := e.Details.(interface{ Report() *report.Report })
	if told {
		shown := *e
		shown.Hint, shown.Actions = "What became of it at each pane:", []string{}
		if own, ok := e.Details.(interface{ Lead() string }); ok {
			shown.Hint = own.Lead()
		}
		e = &shown
	}
	_ = printer.Fail(e)
	if told {
		_ = printer.Print(parts.Report())
	}
	return robot.ExitStatus(e.Code, p.inv.globals.ExitCodes == "detailed")
}

func (p *program) face() *robot.Face {
	return &robot.Face{
		Deps: p.deps, Globals: p.inv.globals, Stdout: pausing{p.Stdout, p.reporter},
		Stderr: pausing{p.Stderr, p.reporter}, Now: time.Now, Started: p.started,
		DefaultFormat: p.Getenv("CUPOLA_ROBOT_FORMAT"), Revision: p.revision, Mend: corrector{p}.correct,
		Warnings: p.inv.warnings,
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
		return "", &core.Error{Code: core.IOError, Message: "standard input: " + err.Error(), Err: err}
	}
	return string(text), nil
}
