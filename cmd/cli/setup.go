package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/huh"

	"cupola/core"
	"cupola/robot/command"
	"cupola/robot/registry"
)

// setupVerb is the verb that asks a person for each of its steps.
const setupVerb = "setup"

// wizard is the program as it asks a person what to set up.
type wizard struct{ *program }

// askSteps asks a person which open steps of the setup to do, and returns the input
// that does them. Where nothing is open, or consent was given, it is the input as
// it was.
func (p wizard) askSteps(ctx context.Context, verb *registry.Verb, input any) (any, error) {
	if verb.Name != setupVerb || p.deps.Confirm == nil {
		return input, nil
	}
	if given, ok := input.(interface{ Given() bool }); ok && given.Given() {
		return input, nil
	}
	reply, err := verb.Call(ctx, p.deps, input, nil)
	if err != nil {
		return nil, err
	}
	answer, ok := reply.Value.(interface{ Offers() []command.SetupStep })
	if !ok || len(answer.Offers()) == 0 {
		return input, nil
	}
	chosen, err := p.chooseSteps(ctx, answer.Offers())
	if err != nil || len(chosen) == 0 {
		return input, err
	}
	bound := verb.Bind(newFlags(verb.Name))
	if err := errors.Join(bound.Set("steps", strings.Join(chosen, ",")), bound.Set("yes", "true")); err != nil {
		return nil, err
	}
	return bound.Input(), nil
}

// chooseSteps shows a form with a question a step. Nothing of somebody else's is
// chosen beforehand.
func (p wizard) chooseSteps(ctx context.Context, offers []command.SetupStep) ([]string, error) {
	answers := make([]bool, len(offers))
	questions := make([]huh.Field, len(offers))
	for i, step := range offers {
		answers[i] = !strings.HasPrefix(step.Step, "hooks-")
		questions[i] = huh.NewConfirm().Title(step.Does + "?").Description(step.Path).Affirmative("Yes").Negative("No").Value(&answers[i])
	}
	form := huh.NewForm(huh.NewGroup(questions...)).WithTheme(huh.ThemeBase()).WithInput(p.Stdin).WithOutput(p.Stderr).
		WithAccessible(p.Getenv("TERM") == "dumb" || p.Getenv("ACCESSIBLE") != "")
	if err := form.RunWithContext(ctx); err != nil {
		return nil, &core.Error{Code: core.Cancelled, Message: "nothing was changed", Err: err}
	}
	var chosen []string
	for i, step := range offers {
		if answers[i] {
			chosen = append(chosen, step.Step)
		}
	}
	return chosen, nil
}
