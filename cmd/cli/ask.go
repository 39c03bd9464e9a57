package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/term"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/term/cells"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
)

// prompter asks the person at the terminal.
type prompter struct {
	opts *Options
	// pause removes a progress line before a question.
	pause func()
	// accessible reports whether questions are asked line by line, for screen readers.
	accessible func() bool
}

// can reports whether there is someone to ask.
func (p prompter) can() bool { return look.Terminal(p.opts.Stdin) && look.Terminal(p.opts.Stderr) }

// askFor asks for the missing values of a verb. What cannot be asked for stays missing.
func (t *tree) askFor(ctx context.Context, verb *registry.Verb, bound *registry.Bound,
	missing []*registry.Field,
) error {
	for _, field := range missing {
		form := t.question(ctx, verb, field)
		if form == nil {
			return nil
		}
		text, err := t.ask.answered(ctx, form)
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

// question makes the form of a field: a choice if the values are known, else a line of text;
// nil if there is nothing to choose from.
func (t *tree) question(ctx context.Context, verb *registry.Verb, field *registry.Field) func(*string) huh.Field {
	title := strings.ToUpper(field.Name[:1]) + field.Name[1:]
	var words []string
	switch {
	case len(field.Enum) > 0:
		words = field.Enum
	case field.Name == "session" && registry.OfExisting(verb):
		if words = t.words.sessions(ctx, "", false); len(words) == 0 {
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
		options[i] = huh.NewOption(cells.Clean(strings.TrimSpace(name+"  "+what)), name)
	}
	return func(text *string) huh.Field {
		return huh.NewSelect[string]().Title(title).Description(field.Help).Options(options...).Value(text)
	}
}

// answered asks a question on the terminal and returns the answer.
func (p prompter) answered(ctx context.Context, question func(*string) huh.Field) (string, error) {
	var text string
	err := p.ask(ctx, huh.NewForm(huh.NewGroup(question(&text))).WithShowHelp(false))
	return text, err
}

// choose asks about each of several choices.
func (p prompter) choose(ctx context.Context, choices []registry.Choice) ([]string, error) {
	answers := make([]bool, len(choices))
	questions := make([]huh.Field, len(choices))
	for i, choice := range choices {
		answers[i] = choice.Usual
		questions[i] = huh.NewConfirm().
			Title(cells.Safe(choice.Question)).
			Description(cells.Safe(choice.About)).
			Affirmative("Yes").
			Negative("No").
			Value(&answers[i])
	}
	if err := p.ask(ctx, huh.NewForm(huh.NewGroup(questions...))); err != nil {
		return nil, err
	}
	var chosen []string
	for i, choice := range choices {
		if answers[i] {
			chosen = append(chosen, choice.Name)
		}
	}
	return chosen, nil
}

// pick asks for one of several choices, or none.
func (p prompter) pick(ctx context.Context, question string, choices []registry.Choice) (string, error) {
	options := make([]huh.Option[string], 0, len(choices)+1)
	usual := ""
	for _, choice := range choices {
		options = append(options, huh.NewOption(cells.Clean(choice.Name+"  "+choice.About), choice.Name))
		if choice.Usual && usual == "" {
			usual = choice.Name
		}
	}
	options = append(options, huh.NewOption("Leave it as it is", ""))
	return p.answered(ctx, func(name *string) huh.Field {
		*name = usual
		// The height includes the title; without it the list begins at its last option.
		return huh.NewSelect[string]().Title(cells.Safe(question)).Value(name).Options(options...).
			Height(len(options) + 1)
	})
}

// ask shows a form on the terminal until it is filled in.
func (p prompter) ask(ctx context.Context, form *huh.Form) error {
	p.pause()
	err := form.WithTheme(huh.ThemeBase()).WithAccessible(p.opts.Getenv("TERM") == "dumb" || p.accessible()).
		WithInput(p.opts.Stdin).WithOutput(p.opts.Stderr).RunWithContext(ctx)
	switch {
	case errors.Is(err, huh.ErrUserAborted), ctx.Err() != nil:
		return interruptedError()
	case err != nil:
		return core.Errorf(core.IOError, "read the terminal: %w", err)
	}
	return nil
}

// askedFor returns the flag whose absence is the error; nil if none is, or one of several.
func askedFor(verb *registry.Verb, err error) *registry.Field {
	e := advice.Complete(err)
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

// confirm asks a yes-or-no question that one key answers; the default is no.
func (p prompter) confirm(question string) (bool, error) {
	// A terminal that passes keys on as they are pressed raises no signal for Ctrl-C,
	// but others may still send one.
	signals := make(chan os.Signal, 1)
	if handled := leaving(); len(handled) > 0 {
		signal.Notify(signals, handled...)
		defer signal.Stop(signals)
	}
	p.pause()
	// Asked first: on a terminal that passes keys on, a line would not begin at the left.
	fmt.Fprintf(p.opts.Stderr, "%s [y/N] ", cells.Safe(question))
	state, err := term.MakeRaw(p.opts.Stdin.Fd())
	if err != nil {
		return false, core.Errorf(core.IOError, "read the terminal: %w", err)
	}
	answers := make(chan string, 1)
	go func() { answers <- readAnswer(p.opts.Stdin) }()
	answer := interrupted
	select {
	case answer = <-answers:
	case <-signals:
	}
	if err := term.Restore(p.opts.Stdin.Fd(), state); err != nil {
		return false, core.Errorf(core.IOError, "restore the terminal: %w", err)
	}
	fmt.Fprintln(p.opts.Stderr, answer)
	if answer == interrupted {
		return false, interruptedError()
	}
	return answer == yes, nil
}

// The answers to a question.
const (
	yes         = "yes"
	no          = "no"
	interrupted = "interrupted"
)

// interruptedError returns the error of what a signal, or a key in its place, has ended.
func interruptedError() error { return &core.Error{Code: core.Cancelled, Message: interrupted} }

// readAnswer waits for a key that answers a question. The end of what can be read
// interrupts.
func readAnswer(keys io.Reader) string {
	pressed := make([]byte, 64)
	for {
		n, err := keys.Read(pressed)
		if err != nil {
			return interrupted
		}
		if answer := answerOf(pressed[:n]); answer != "" {
			return answer
		}
	}
}

// answerOf returns the answer among the bytes of one read; empty if there is none.
func answerOf(pressed []byte) string {
	const ctrlC, ctrlD, escape = 3, 4, 27
	if len(pressed) > 1 && pressed[0] == escape {
		return "" // a key that has a sequence
	}
	for _, key := range pressed {
		switch key {
		case 'y', 'Y':
			return yes
		case 'n', 'N', '\r', '\n', escape:
			return no
		case ctrlC, ctrlD:
			return interrupted
		}
	}
	return ""
}
