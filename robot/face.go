package robot

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Face answers programs.
type Face struct {
	// Env is the environment of the verbs.
	Env     registry.Env
	Globals registry.Globals
	Stdout  io.Writer
	Stderr  io.Writer
	// Now is the clock. Started is when the command began.
	Now     func() time.Time
	Started time.Time
	// DefaultFormat is used where no format was asked for and the verb can be
	// written in it; empty is JSON.
	DefaultFormat string
	// Revision returns the revision of the last known snapshot; nil means none.
	Revision func() core.Revision
	// Correct adds to a failure the commands that were probably meant; nil adds none.
	Correct func(*core.Error) *core.Error
	// Warnings come from the command line, such as about deprecated flags.
	Warnings []string
}

// Run calls a verb, writes its answer and returns the exit status.
func (f *Face) Run(ctx context.Context, verb *registry.Verb, input any) int {
	verb = registry.As(verb, input)
	format, err := f.format(verb)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	filter, err := filterOf(&f.Globals)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	if verb.Streams {
		return f.stream(ctx, verb, input, filter)
	}
	reply, err := verb.Call(ctx, f.Env, input, nil)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	reply.Warn(f.Warnings...)
	reply.Again(formOf(f)...)
	if filter != nil {
		return f.pass(ctx, filter, verb, reply)
	}
	return f.answer(verb, reply, format)
}

// formOf returns the flags that ask for the answer's form.
func formOf(f *Face) []string {
	var words []string
	if f.Globals.Format != "" && f.Globals.Format != "json" {
		words = append(words, "--robot-format="+f.Globals.Format)
	}
	if len(f.Globals.Fields) > 0 {
		words = append(words, "--fields="+strings.Join(f.Globals.Fields, ","))
	}
	return words
}

// Answer writes a value that is no verb's answer and returns the exit status.
func (f *Face) Answer(ctx context.Context, command string, value any) int {
	verb := &registry.Verb{Name: command}
	format, err := f.format(verb)
	if err != nil {
		return f.fail(nil, command, err)
	}
	filter, err := filterOf(&f.Globals)
	if err != nil {
		return f.fail(nil, command, err)
	}
	reply := &registry.Reply{Value: value}
	if filter != nil {
		return f.pass(ctx, filter, verb, reply)
	}
	return f.answer(verb, reply, format)
}

func (f *Face) answer(verb *registry.Verb, reply *registry.Reply, format string) int {
	text, err := f.encode(verb, reply, format)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	if _, err := io.WriteString(f.Stdout, text); err != nil {
		return ExitStatus(core.IOError, &f.Globals)
	}
	return 0
}

// Fail writes a failure and returns the exit status. Command is the verb's
// name; it may be empty.
func (f *Face) Fail(command string, err error) int {
	return f.fail(verbOf(f, command), command, err)
}

// fail writes a failure of a verb, which is nil where none is known.
func (f *Face) fail(verb *registry.Verb, command string, err error) int {
	e := completedBy(f, err)
	format := f.failureFormat(verb)
	text, renderErr := f.failed(format, command, e)
	if renderErr != nil {
		text, renderErr = f.failed(format, command, unwritten(e, renderErr))
	}
	if renderErr != nil {
		return ExitStatus(core.InternalError, &f.Globals)
	}
	out := f.Stdout
	if f.Globals.Errors == "stderr" {
		out = f.Stderr
	}
	_, _ = io.WriteString(out, text)
	return ExitStatus(e.Code, &f.Globals)
}

// ExitStatus returns the exit status of a code: the default one or, with --exit-codes=detailed, the code's own number.
func ExitStatus(code core.Code, globals *registry.Globals) int {
	row, _ := code.Row()
	if globals.ExitCodes == "detailed" {
		return row.Detailed
	}
	return row.Exit
}

// format returns the format of a verb's answer, or an error for one it lacks.
func (f *Face) format(verb *registry.Verb) (string, error) {
	asked := f.Globals.Format
	switch {
	case verb.Streams && asked != "" && asked != "ndjson" && asked != "json":
		return "", lacks(verb, asked, "ndjson")
	case !verb.Streams && asked == "ndjson" && verb.List == "":
		return "", lacks(verb, asked, "json, toon, markdown, terse")
	case f.Globals.Progress == "stdout" && asked != "" && asked != "json" && asked != "ndjson":
		return "", registry.Conflict("--progress=stdout", "--robot-format="+asked)
	case f.Globals.Pretty && asked != "" && asked != "json":
		return "", registry.Conflict("--pretty", "--robot-format="+asked)
	}
	return f.Usual(verb), f.chosen(verb)
}

// chosen fails where columns were chosen that the verb's answer does not have. It
// is asked before the verb runs, for what was done cannot be asked for again.
func (f *Face) chosen(verb *registry.Verb) error {
	if len(f.Globals.Fields) == 0 {
		return nil
	}
	if verb.List == "" {
		return &core.Error{
			Code:    core.InvalidFlag,
			Message: verb.Name + " does not take --fields: its answer is not a list",
		}
	}
	_, err := render.Select(nil, selection(f.Globals.Fields, verb))
	return err
}

// Usual is the format of a verb where the one asked for is there, or none was
// asked for.
func (f *Face) Usual(verb *registry.Verb) string {
	switch {
	case verb.Streams:
		return "ndjson"
	case f.Globals.Format != "":
		return f.Globals.Format
	case f.Globals.Progress == "stdout", f.Globals.JSON, f.Globals.JQ != "", f.Globals.GoTemplate != "":
		return "json"
	case verb.Format != "":
		return verb.Format
	case f.DefaultFormat != "" && (f.DefaultFormat != "ndjson" || verb.List != ""):
		return f.DefaultFormat
	}
	return "json"
}

// failureFormat is the format of a failure: the one that the answer would have
// had or, where the verb lacks it, the one that was asked for all the same.
func (f *Face) failureFormat(verb *registry.Verb) string {
	if verb == nil {
		verb = &registry.Verb{}
	}
	if asked := f.Globals.Format; asked != "" && asked != "json" {
		return asked
	}
	return f.Usual(verb)
}

func lacks(verb *registry.Verb, format, formats string) error {
	return &core.Error{
		Code: core.InvalidFlag, Message: fmt.Sprintf("%s has no format %s", verb.Name, format),
		Hint: "It has: " + formats + ".",
	}
}
