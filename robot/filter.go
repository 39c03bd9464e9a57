package robot

import (
	"context"
	"errors"
	"io"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// filterTime is how long a filter may take over one answer.
const filterTime = 10 * time.Second

// filterOf returns what the caller wants the answer to go through; nil is nothing.
func filterOf(g *registry.Globals) (render.Filter, error) {
	jq, template := g.JQ, g.GoTemplate
	flag, other := "--jq", ""
	switch {
	case jq == "" && template == "":
		return nil, nil
	case jq == "":
		flag = "--go-template"
	}
	switch {
	case jq != "" && template != "":
		other = "--go-template"
	case g.Format != "" && g.Format != "json" && g.Format != "ndjson":
		other = "--robot-format=" + g.Format
	case g.Progress == "stdout":
		other = "--progress=stdout"
	case template != "" && g.Pretty:
		other = "--pretty"
	}
	if other != "" {
		return nil, registry.Conflict(flag, other)
	}
	if jq != "" {
		return render.Query(jq, g.Pretty)
	}
	return render.Template(template)
}

// filtered returns what a filter makes of a document.
func (f *Face) filtered(ctx context.Context, filter render.Filter, doc any) (string, error) {
	value, err := render.Value(doc)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, filterTime)
	defer cancel()
	text, err := filter.Apply(limited, value)
	switch {
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		return "", &core.Error{Code: core.Cancelled, Message: "the filter was interrupted", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return "", &core.Error{
			Code: core.Timeout, Message: "the filter did not end within " + filterTime.String(),
			Hint: "The verb has run; make the expression simpler.",
		}
	case errors.Is(err, render.ErrSize):
		return "", &core.Error{
			Code: core.InvalidInput, Message: "the filter makes more text than can be written",
			Hint: "The verb has run; ask the expression for less.",
		}
	}
	return "", err
}

// pass writes what a filter makes of an answer and returns the exit status.
func (f *Face) pass(ctx context.Context, filter render.Filter, verb *registry.Verb, reply *registry.Reply) int {
	body, err := f.body(verb, reply)
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	text, err := f.filtered(ctx, filter, f.success(verb.Name, render.Present(body), reply))
	if err != nil {
		return f.fail(verb, verb.Name, err)
	}
	if _, err := io.WriteString(f.Stdout, text); err != nil {
		return ExitStatus(core.IOError, &f.Globals)
	}
	return 0
}
