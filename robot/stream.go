package robot

import (
	"context"
	"io"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// stream runs a streaming verb: one line each, the last of type "end". Each goes
// through the filter, if there is one.
func (f *Face) stream(ctx context.Context, verb *registry.Verb, input any, filter render.Filter) int {
	broken := false
	written := line
	if filter != nil {
		written = func(value any) (string, error) { return f.filtered(ctx, filter, value) }
	}
	emit := func(value any) error {
		text, err := written(value)
		if err != nil {
			return err
		}
		_, err = io.WriteString(f.Stdout, text)
		broken = broken || err != nil
		return err
	}
	reply, err := verb.Call(ctx, f.Env, input, emit)
	if broken {
		return ExitStatus(core.IOError, &f.Globals)
	}
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	reply.Warn(f.Warnings...)
	value, err := render.Value(reply.Value)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	body, _ := value.(render.Object)
	err = emit(ended(f.success(verb.Name, body, reply)))
	switch {
	case broken:
		return ExitStatus(core.IOError, &f.Globals)
	case err != nil:
		return f.fail(verb, verb.Name, err)
	}
	return 0
}
