package robot

import (
	"context"
	"io"

	"cupola/core"
	"cupola/robot/registry"
	"cupola/robot/render"
)

// stream runs a streaming verb: one line each, the last of type "end".
func (f *Face) stream(ctx context.Context, verb *registry.Verb, input any, warnings []string) int {
	broken := false
	emit := func(value any) error {
		text, err := line(value)
		if err != nil {
			return err
		}
		_, err = io.WriteString(f.Stdout, text)
		broken = broken || err != nil
		return err
	}
	reply, err := verb.Call(ctx, f.Deps, input, emit)
	if broken {
		return f.Status(core.IOError)
	}
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	reply.Warn(warnings...)
	value, err := render.Value(reply.Value)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	body, _ := value.(render.Object)
	if emit(ended(f.success(verb.Name, body, reply))) != nil {
		return f.Status(core.IOError)
	}
	return 0
}
