package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/term"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/theme"
	"cupola/tui/plain"
)

// people answers on the face for people.
type people struct{ program *program }

// human answers a person.
func (o people) human(ctx context.Context, verb *registry.Verb, input any, warnings []string) error {
	for _, warning := range warnings {
		warn(o.program.Stderr, warning)
	}
	verb = registry.As(verb, input)
	columns, err := o.program.face().Columns(verb)
	if err != nil {
		return err
	}
	printer := o.printer(o.program.Stdout)
	reply, err := verb.Call(ctx, o.program.deps, input, func(line any) error {
		o.program.reporter.pause()
		return printer.Print(eventLine(line))
	})
	o.program.reporter.pause()
	for _, warning := range o.program.deps.Warnings() {
		warn(o.program.Stderr, warning)
	}
	if verb.Streams && core.AsError(err).HasCode(core.Cancelled) {
		// A stream has no other end, so an interrupt is no error.
		o.program.status = robot.ExitStatus(core.Cancelled, o.program.globals.ExitCodes == "detailed")
		return nil
	}
	if err != nil {
		return err
	}
	if plan := reply.Plan(); plan != nil && look.Terminal(o.program.Stdin) && look.Terminal(o.program.Stdout) {
		return takeOver(plan)
	}
	r := reply.Report()
	if columns != nil {
		r, err = columns(reply)
	}
	if r == nil || err != nil {
		return err
	}
	if err := printer.Print(r); err != nil && !errors.Is(err, syscall.EPIPE) {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}

// warn prints a warning in addition to the answer.
func warn(out io.Writer, text string) { fmt.Fprintln(out, "cupola: "+cells.Clean(text)) }

// printer prints for people on an output.
func (o people) printer(out *os.File) *plain.Printer {
	tty := look.Terminal(out)
	colour := theme.Colour(o.program.globals.Color, tty, o.program.Getenv)
	printer := &plain.Printer{
		Out: out, Quiet: o.program.globals.Quiet, ASCII: theme.ASCII(o.program.Getenv),
		Theme: sync.OnceValue(func() *theme.Theme {
			options := o.program.look.Options(colour, false)
			if o.program.look.Fault != "" && tty {
				warn(o.program.Stderr, o.program.look.Fault)
			}
			return theme.New(options)
		}),
	}
	if tty {
		printer.Program = sync.OnceValue(called)
		printer.Width = 80
		if width, _, err := term.GetSize(out.Fd()); err == nil && width > 0 {
			printer.Width = width
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
