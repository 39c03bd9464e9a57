package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/huh"

	"cupola/core"
	"cupola/robot/registry"
)

// asks reports whether a person can be asked for what is missing.
func (p tree) asks() bool { return !p.robotic && terminal(p.Stdin) && terminal(p.Stderr) }

// complete asks for the values that a verb needs and nobody gave. What cannot be
// asked for stays missing.
func (p tree) complete(ctx context.Context, verb *registry.Verb, bound *registry.Bound, missing []*registry.Field) error {
	for _, field := range missing {
		form := p.question(ctx, verb, field)
		if form == nil {
			return nil
		}
		text, err := p.answered(ctx, form)
		if err != nil {
			return err
		}
		if field.Type == "list" && !field.Whole {
			text = strings.Join(strings.Fields(text), ",")
		}
		if err := bound.Set(field.Name, text); err != nil {
			return err
		}
	}
	return nil
}

// question is what a person is asked about a field: a choice where the values are
// known, else a line of text; nil where there is nothing to choose from.
func (p tree) question(ctx context.Context, verb *registry.Verb, field *registry.Field) func(*string) huh.Field {
	title := strings.ToUpper(field.Name[:1]) + field.Name[1:]
	var words []string
	switch {
	case len(field.Enum) > 0:
		words = field.Enum
	case field.Name == "session" && verb.Name != "spawn":
		if words = p.sessions(ctx, "", false); len(words) == 0 {
			return nil
		}
	default:
		return func(text *string) huh.Field {
			return huh.NewInput().Title(title).Description(field.Help).Validate(huh.ValidateNotEmpty()).Value(text)
		}
	}
	options := make([]huh.Option[string], len(words))
	for i, word := range words {
		name, what, _ := strings.Cut(word, "\t")
		options[i] = huh.NewOption(strings.TrimSpace(name+"  "+what), name)
	}
	return func(text *string) huh.Field {
		return huh.NewSelect[string]().Title(title).Description(field.Help).Options(options...).Value(text)
	}
}

// answered asks a question on the terminal.
func (p tree) answered(ctx context.Context, question func(*string) huh.Field) (string, error) {
	var text string
	form := huh.NewForm(huh.NewGroup(question(&text))).WithTheme(huh.ThemeBase()).WithShowHelp(false).
		WithAccessible(p.Getenv("TERM") == "dumb").WithInput(p.Stdin).WithOutput(p.Stderr)
	err := form.RunWithContext(ctx)
	switch {
	case errors.Is(err, huh.ErrUserAborted), ctx.Err() != nil:
		return "", &core.Error{Code: core.Cancelled, Message: interrupted}
	case err != nil:
		return "", &core.Error{Code: core.IOError, Message: "read the terminal: " + err.Error(), Err: err}
	}
	return text, nil
}

// askedFor is the flag whose absence a verb complains of; nil if it is none or one
// of several.
func askedFor(verb *registry.Verb, err error) *registry.Field {
	e := core.AsError(err)
	if !e.HasCode(core.MissingRequired) {
		return nil
	}
	details, _ := e.Details.(map[string]any)
	missing, _ := details["missing"].([]string)
	if len(missing) != 1 {
		return nil
	}
	return verb.Field(strings.TrimPrefix(missing[0], "--"))
}

// answerPerson runs a verb for a person, who is asked for what is missing.
func (p tree) answerPerson(ctx context.Context, verb *registry.Verb, bound *registry.Bound, warnings []string) error {
	if err := p.complete(ctx, verb, bound, bound.Missing()); err != nil {
		return err
	}
	err := p.run(ctx, verb, bound.Input(), warnings)
	field := askedFor(verb, err)
	if field == nil {
		return err
	}
	fmt.Fprintln(p.Stderr, "cupola: "+core.AsError(err).Error())
	if err := p.complete(ctx, verb, bound, []*registry.Field{field}); err != nil {
		return err
	}
	return p.run(ctx, verb, bound.Input(), nil)
}
