package robot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cupola/core"
	"cupola/robot/registry"
	"cupola/robot/render"
)

// Face answers programs.
type Face struct {
	Deps    *registry.Deps
	Globals registry.Globals
	Stdout  io.Writer
	Stderr  io.Writer
	// Now is the clock. Started is when the command began.
	Now     func() time.Time
	Started time.Time
	// DefaultFormat is used where no format was asked for and the verb can be
	// written in it; empty is JSON.
	DefaultFormat string
	// Revision returns the revision of the last known picture; nil means none.
	Revision func() core.Revision
}

// Run calls a verb, writes its answer and returns the exit status.
func (f *Face) Run(ctx context.Context, verb *registry.Verb, input any, warnings []string) int {
	format, err := f.format(verb)
	if err != nil {
		return f.Fail(verb.Name, err)
	}
	if verb.Streams {
		return f.stream(ctx, verb, input)
	}
	reply, err := verb.Call(ctx, f.Deps, input, nil)
	if err != nil {
		return f.Fail(verb.Name, err)
	}
	reply.Warn(warnings...)
	text, err := f.encode(verb, reply, format)
	if err != nil {
		return f.Fail(verb.Name, err)
	}
	if _, err := io.WriteString(f.Stdout, text); err != nil {
		return f.Status(core.IOError)
	}
	return 0
}

// Answer writes a value that is no verb's answer and returns the exit status.
func (f *Face) Answer(command string, value any) int {
	verb := &registry.Verb{Name: command}
	format, err := f.format(verb)
	if err != nil {
		return f.Fail(command, err)
	}
	text, err := f.encode(verb, &registry.Reply{Value: value}, format)
	if err != nil {
		return f.Fail(command, err)
	}
	_, _ = io.WriteString(f.Stdout, text)
	return 0
}

// Fail writes a failure and returns the exit status. Command is the verb's
// name; it may be empty.
func (f *Face) Fail(command string, err error) int {
	e := core.AsError(err)
	doc := f.failure(command, e)
	format := f.Globals.Format
	if format == "" {
		format = f.DefaultFormat
	}
	text, renderErr := f.text(format, command, doc, nil)
	if renderErr != nil {
		text = fmt.Sprintf(`{"success":false,"error":"the failure itself cannot be encoded","error_code":%q}`+"\n", core.InternalError)
	}
	out := f.Stdout
	if f.Globals.Errors == "stderr" {
		out = f.Stderr
	}
	_, _ = io.WriteString(out, text)
	return f.Status(e.Code)
}

// Status returns the exit status of a code.
func (f *Face) Status(code core.Code) int { return ExitStatus(code, f.Globals.ExitCodes == "detailed") }

// ExitStatus returns the exit status of a code: the default one or, detailed,
// the code's own number.
func ExitStatus(code core.Code, detailed bool) int {
	row, _ := code.Row()
	if detailed {
		return row.Detailed
	}
	return row.Exit
}

// format returns the format of a verb's answer, or an error for one it lacks.
func (f *Face) format(verb *registry.Verb) (string, error) {
	format := f.Globals.Format
	if format == "" {
		format = verb.Format
	}
	if format == "" && !verb.Streams && (f.DefaultFormat != "ndjson" || verb.List.Name != "") {
		format = f.DefaultFormat
	}
	switch {
	case format == "":
		format = "json"
		if verb.Streams {
			format = "ndjson"
		}
	case verb.Streams && format != "ndjson" && format != "json":
		return "", f.lacks(verb, format, "ndjson")
	case !verb.Streams && format == "ndjson" && verb.List.Name == "":
		return "", f.lacks(verb, format, "json, toon, markdown, terse")
	}
	if len(f.Globals.Fields) > 0 && verb.List.Name == "" {
		return "", &core.Error{Code: core.InvalidFlag, Message: verb.Name + " does not take --fields: its answer is not a list"}
	}
	return format, nil
}

func (f *Face) lacks(verb *registry.Verb, format, formats string) error {
	return &core.Error{Code: core.InvalidFlag, Message: fmt.Sprintf("%s has no format %s", verb.Name, format), Hint: "It has: " + formats + "."}
}

// encode renders an answer.
func (f *Face) encode(verb *registry.Verb, reply *registry.Reply, format string) (string, error) {
	value, err := render.Value(reply.Value)
	if err != nil {
		return "", &core.Error{Code: core.InternalError, Op: verb.Name, Err: err}
	}
	body, _ := value.(render.Object)
	if len(f.Globals.Fields) > 0 {
		body, err = render.Select(body, render.Selection{
			Rows: verb.List.Name, Fields: f.Globals.Fields, Presets: verb.List.Presets, Columns: verb.Columns(verb.List.Name), Lists: verb.Lists(),
		})
		if err != nil {
			return "", err
		}
	}
	if format == "ndjson" {
		return f.rows(verb, body)
	}
	return f.text(format, verb.Name, f.success(verb.Name, body, reply), reply.Value)
}

// rows writes a list as lines of type "row" and an end line.
func (f *Face) rows(verb *registry.Verb, body render.Object) (string, error) {
	list, _ := body.Get(verb.List.Name)
	rows, _ := list.([]any)
	var b strings.Builder
	for _, row := range rows {
		object, _ := row.(render.Object)
		if err := render.JSON(&b, append(render.Object{{Key: "type", Value: "row"}}, object...), false); err != nil {
			return "", err
		}
		b.WriteByte('\n')
	}
	end := render.Object{{Key: "type", Value: "end"}, {Key: "success", Value: true}, {Key: "count", Value: json.Number(fmt.Sprint(len(rows)))}}
	err := render.JSON(&b, end, false)
	return b.String() + "\n", err
}

// Terser is an answer with a line of its own for the terse format.
type Terser interface{ Terse() string }

// Marker is an answer with a page of its own for the markdown format.
type Marker interface{ Markdown() string }

// text writes a document in a format, with its last newline. Value is the
// verb's answer, nil for failures.
func (f *Face) text(format, command string, doc render.Object, value any) (string, error) {
	var b strings.Builder
	var err error
	switch format {
	case "toon":
		err = render.TOON(&b, doc)
	case "terse":
		if own, ok := value.(Terser); ok && len(f.Globals.Fields) == 0 {
			b.WriteString(own.Terse())
		} else {
			b.WriteString(render.Terse(terseName(command), unframed(doc)))
		}
	case "markdown":
		if own, ok := value.(Marker); ok && len(f.Globals.Fields) == 0 {
			b.WriteString(strings.TrimRight(own.Markdown(), "\n"))
		} else {
			b.WriteString(render.Markdown("cupola "+command, unframed(doc)))
		}
	default:
		err = render.JSON(&b, doc, f.Globals.Pretty)
	}
	if err != nil {
		return "", &core.Error{Code: core.InternalError, Op: command, Err: err}
	}
	b.WriteByte('\n')
	return b.String(), nil
}

func terseName(command string) string {
	if command == "" {
		return "error"
	}
	return command
}

// unframed leaves out the parts of a frame that a line or a page has no use
// for.
func unframed(doc render.Object) render.Object {
	out := make(render.Object, 0, len(doc))
	for _, m := range doc {
		switch m.Key {
		case "timestamp", "_meta", "meta", "_agent_hints", "next_actions":
		default:
			out = append(out, m)
		}
	}
	return out
}

// stream runs a streaming verb: one line each, the last of type "end".
func (f *Face) stream(ctx context.Context, verb *registry.Verb, input any) int {
	broken := false
	emit := func(line any) error {
		var b strings.Builder
		if err := render.JSON(&b, line, false); err != nil {
			return err
		}
		b.WriteByte('\n')
		_, err := io.WriteString(f.Stdout, b.String())
		broken = broken || err != nil
		return err
	}
	reply, err := verb.Call(ctx, f.Deps, input, emit)
	if broken {
		return f.Status(core.IOError)
	}
	if err != nil {
		return f.endFailed(verb, err, emit)
	}
	value, err := render.Value(reply.Value)
	if err != nil {
		return f.endFailed(verb, err, emit)
	}
	body, _ := value.(render.Object)
	if emit(f.ended(body, true)) != nil {
		return f.Status(core.IOError)
	}
	return 0
}

// endFailed writes the end line of a stream that failed.
func (f *Face) endFailed(verb *registry.Verb, err error, emit func(any) error) int {
	e := core.AsError(err)
	failure := f.failureBody(e)
	if emit(f.ended(failure, false)) != nil && !errors.Is(err, context.Canceled) {
		return f.Status(core.IOError)
	}
	return f.Status(e.Code)
}

func (f *Face) ended(body render.Object, success bool) render.Object {
	end := render.Object{{Key: "type", Value: "end"}, {Key: "success", Value: success}, {Key: "timestamp", Value: f.stamp()}}
	return append(end, body...)
}
