package acp

import (
	"context"
	"strings"

	"cupola/core/agent/acp/rpc"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// verbs calls verbs with the permission of the editor.
type verbs struct{ service *service.Service }

// failure is why a call failed, in words for the user.
type failure struct{ text string }

// Error returns the words.
func (f *failure) Error() string { return f.text }

// ask calls a verb and decodes its answer.
func (v *verbs) ask(ctx context.Context, verb string, input map[string]any, into any) error {
	return v.call(ctx, &service.Call{Verb: verb, Input: input}, func(render.Object) error { return nil }, into)
}

// call is ask for any call; each gets the lines of a stream.
func (v *verbs) call(ctx context.Context, call *service.Call, each func(render.Object) error, into any) error {
	answer := v.service.Run(ctx, call, each)
	if answer.Code != "" {
		return failed(answer.Document)
	}
	if into != nil && answer.Document != nil {
		decode(answer.Document, into)
	}
	return nil
}

// decode reads the fields of an answer, or of a line of a stream.
func decode(document render.Object, into any) {
	if text, err := render.Compact(document); err == nil {
		rpc.Decode(text, into)
	}
}

// failed makes an error of the answer of a call that failed.
func failed(document render.Object) error {
	var words []string
	for _, key := range []string{"error", "hint"} {
		if value, _ := document.Get(key); value != nil {
			if text, is := value.(string); is && text != "" {
				words = append(words, strings.TrimSuffix(text, ".")+".")
			}
		}
	}
	return &failure{strings.Join(words, " ")}
}

// crewRow is a crew that works.
type crewRow struct{ ID, Prompt string }

// crews returns the crews that work. An editor that may not see them has none.
func (v *verbs) crews(ctx context.Context) []crewRow {
	var out struct{ Crews []crewRow }
	_ = v.ask(ctx, "crew-list", map[string]any{"state": []any{"running", "paused"}}, &out)
	return out.Crews
}

// command is a slash command.
type command struct {
	Name  string `json:"name"`
	Help  string `json:"description"`
	Input *hint  `json:"input,omitempty"`
}

// hint describes the arguments of a slash command.
type hint struct {
	Hint string `json:"hint"`
}

// commands are the verbs that the editor may call.
func (v *verbs) commands() []command {
	var all []command
	for _, name := range v.service.Catalog.Names() {
		verb := v.service.Catalog.Find(name)
		if verb.Of != "" || !v.service.Allows(verb) {
			continue
		}
		one := command{Name: verb.Name, Help: verb.Short}
		if usage := strings.TrimSpace(strings.TrimPrefix(usageOf(verb), verb.Name)); usage != "" {
			one.Input = &hint{usage}
		}
		all = append(all, one)
	}
	return all
}

// usageOf returns how a verb is called, without the name of the program.
func usageOf(verb *registry.Verb) string { return strings.TrimPrefix(verb.Usage(), "cupola ") }
