package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/theme"
	"cupola/tui/plain"
)

// faces answers a program or a person, and owns the streams and the exit status.
type faces struct {
	opts *Options
	line *line
	// started is when the command began.
	started time.Time
	// env is the environment of verbs, and look chooses colours and signs; nil until attach.
	env  *verb.Env
	look *look.Look
	// reporter reports the progress of a long operation; nil reports none.
	reporter *reporter
	// status is the exit status of the verb that ran.
	status int
}

func newFaces(opts *Options, line *line) *faces {
	return &faces{opts: opts, line: line, started: time.Now()}
}

// attach takes what verbs work with, and returns what takes their progress; nil if none is reported.
func (o *faces) attach(env *verb.Env) core.ProgressFunc {
	o.env = env
	o.look = &look.Look{
		Env: env, Getenv: o.opts.Getenv, Stdin: o.opts.Stdin, Stdout: o.opts.Stdout, Robotic: o.line.robotic,
		Accessible: o.line.globals.Accessible,
	}
	if o.reporter = o.newReporter(); o.reporter == nil {
		return nil
	}
	return o.reporter.report
}

// exit returns the exit status of a code.
func (o *faces) exit(code core.Code) int {
	return robot.ExitStatus(code, &o.line.globals)
}

// print writes a text to standard output.
func (o *faces) print(text string) error {
	if _, err := io.WriteString(o.opts.Stdout, text); err != nil {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}

// show prints a report for a person.
func (o *faces) show(r *report.Report) error {
	if err := o.printer(o.opts.Stdout).Print(r); err != nil && !errors.Is(err, syscall.EPIPE) {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}

// reply answers a program with a value that is no verb's answer.
func (o *faces) reply(ctx context.Context, command string, value any) error {
	o.status = o.face().Answer(ctx, command, value)
	return nil
}

// run answers with a verb on the face that was chosen.
func (o *faces) run(ctx context.Context, verb *registry.Verb, input any) error {
	if o.line.robotic {
		o.status = o.face().Run(ctx, verb, input)
		o.reporter.end()
		return nil
	}
	for _, warning := range o.line.warnings {
		warn(o.opts.Stderr, warning)
	}
	verb = registry.As(verb, input)
	columns, err := o.face().Columns(verb)
	if err != nil {
		return err
	}
	printer := o.printer(o.opts.Stdout)
	reply, err := verb.Call(ctx, o.env, input, func(line any) error {
		o.reporter.pause()
		return printer.Print(eventLine(line))
	})
	o.reporter.pause()
	for _, warning := range o.env.Warnings() {
		warn(o.opts.Stderr, warning)
	}
	if verb.Streams && core.AsError(err).HasCode(core.Cancelled) {
		// A stream has no other end, so an interrupt is no error.
		o.status = o.exit(core.Cancelled)
		return nil
	}
	if err != nil {
		return err
	}
	if plan := reply.Plan(); plan != nil && look.Terminal(o.opts.Stdin) && look.Terminal(o.opts.Stdout) {
		return takeOver(plan)
	}
	r := reply.Report()
	if columns != nil {
		r, err = columns(reply)
	}
	if r == nil || err != nil {
		return err
	}
	return o.show(r)
}

// form is the form in which another host answers.
func (o *faces) form(verb *registry.Verb) host.Form {
	if !o.line.robotic {
		return host.Report
	}
	switch o.face().Usual(verb) {
	case "terse":
		return host.Terse
	case "markdown":
		return host.Markdown
	}
	return host.Document
}

// fail reports a failure on the face that was chosen, and returns the exit status.
func (o *faces) fail(err error) int {
	if o.line.robotic {
		name := o.line.read.Command
		if o.line.verb() == nil && !slices.Contains(registry.Others, name) {
			name = ""
		}
		return o.face().Fail(name, err)
	}
	e := o.line.suggestions().Correct(advice.Complete(err))
	parts, ok := e.Details.(interface{ Report() *report.Report })
	if _, says := e.Details.(interface{ Verdict() report.Line }); says && ok {
		_ = o.printer(o.opts.Stdout).Print(parts.Report())
		return o.exit(e.Code)
	}
	if ok {
		shown := *e
		shown.Hint, shown.Actions = "What became of it at each pane:", []string{}
		if own, ok := e.Details.(interface{ Lead() string }); ok {
			shown.Hint = cmp.Or(own.Lead(), e.Hint)
		}
		e = &shown
	}
	printer := o.printer(o.opts.Stderr)
	_ = printer.Fail(e)
	if ok {
		_ = printer.Print(parts.Report())
	}
	return o.exit(e.Code)
}

// face is the face for programs.
func (o *faces) face() *robot.Face {
	face := faceOf(o.env, o.started)
	face.DefaultFormat, face.Globals = o.opts.Getenv("CUPOLA_ROBOT_FORMAT"), o.line.globals
	face.Warnings, face.Correct = o.line.warnings, o.line.suggestions().Correct
	face.Stdout, face.Stderr = pausing{o.opts.Stdout, o.reporter}, pausing{o.opts.Stderr, o.reporter}
	return face
}

// faceOf makes a face without output for a call that began at a time.
func faceOf(env *verb.Env, started time.Time) *robot.Face {
	return &robot.Face{
		Env: env, Now: time.Now, Started: started,
		Revision: func() core.Revision {
			if !env.Opened() {
				return 0
			}
			f, err := env.Fleet()
			if err != nil {
				return 0
			}
			return f.Dir.Revision(context.Background())
		},
	}
}

// warn prints a warning in addition to the answer.
func warn(out io.Writer, text string) { fmt.Fprintln(out, "cupola: "+cells.Clean(text)) }

// printer prints for people on an output.
func (o *faces) printer(out *os.File) *plain.Printer {
	tty := look.Terminal(out)
	colour := theme.Colour(o.line.globals.Color, tty, o.opts.Getenv)
	printer := &plain.Printer{
		Out: out, Quiet: o.line.globals.Quiet, ASCII: theme.ASCII(o.opts.Getenv),
		Theme: sync.OnceValue(func() *theme.Theme {
			options := o.look.Options(colour, false)
			if o.look.Fault != "" && tty {
				warn(o.opts.Stderr, o.look.Fault)
			}
			return theme.New(options)
		}),
	}
	if tty {
		printer.Program = sync.OnceValue(called)
		printer.Width = 80
		if width, height, err := term.GetSize(out.Fd()); err == nil && width > 0 {
			printer.Width, printer.Height = width, height
		}
		if height, err := strconv.Atoi(o.opts.Getenv("LINES")); err == nil && height > 0 {
			printer.Height = height // the printed rows have a terminal of their length
		}
	}
	return printer
}

// takeOver replaces this process by a program that needs the terminal.
func takeOver(argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return core.Errorf(core.AttachFailed, "%w", err)
	}
	err = syscall.Exec(path, argv, os.Environ())
	return &core.Error{Code: core.AttachFailed, Message: fmt.Sprintf("run %s: %v", shell.Line(argv...), err), Err: err}
}

// eventLine describes one line of a stream.
func eventLine(line any) *report.Report {
	if own, ok := line.(interface{ Report() *report.Report }); ok {
		return own.Report()
	}
	return report.Say(report.Text(fmt.Sprint(line)))
}

// called is how the user can call this program: by its name if that is on the PATH, else as it was called now.
func called() string {
	const name = "cupola"
	if _, err := exec.LookPath(name); err == nil || len(os.Args) == 0 || !strings.ContainsRune(os.Args[0], '/') {
		return name
	}
	return shell.Line(os.Args[0])
}
