package cli

import (
	"errors"

	"github.com/charmbracelet/huh"

	"cupola/core"
)

// confirm asks a person a yes-or-no question; the default is no.
func (p *program) confirm(question string) (bool, error) {
	yes := false
	form := huh.NewForm(huh.NewGroup(huh.NewConfirm().Title(question).Affirmative("Yes").Negative("No").Value(&yes))).
		WithInput(p.Stdin).WithOutput(p.Stderr)
	err := form.Run()
	switch {
	case errors.Is(err, huh.ErrUserAborted):
		return false, &core.Error{Code: core.Cancelled, Message: "interrupted", Err: err}
	case err != nil:
		return false, &core.Error{Code: core.IOError, Message: err.Error(), Err: err}
	}
	return yes, nil
}
