package cli

import (
	"os"
	"strings"

	"github.com/mattn/go-isatty"

	"cupola/core"
	"cupola/robot/registry"
)

// chooseRobot decides the face: an explicit flag, then CUPOLA_ROBOT, then
// whether stdout is a terminal.
func (p *program) chooseRobot() bool {
	switch {
	case p.inv.explicit():
		return true
	case p.inv.globals.Human:
		return false
	}
	switch strings.ToLower(p.Getenv("CUPOLA_ROBOT")) {
	case "":
		return !terminal(p.Stdout)
	case "0", "false":
		return false
	}
	return true
}

func terminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// environment reads the defaults that wrappers set for global flags.
func (p *program) environment() (registry.Globals, error) {
	var defaults registry.Globals
	var failed error
	for _, setting := range []struct{ env, flag string }{
		{"CUPOLA_ENVELOPE", "envelope"}, {"CUPOLA_ERRORS", "errors"}, {"CUPOLA_EXIT_CODES", "exit-codes"},
	} {
		if err := setDefault(&defaults, setting.flag, setting.env, p.Getenv(setting.env)); err != nil {
			failed = err
		}
	}
	var format registry.Globals
	if err := setDefault(&format, "robot-format", "CUPOLA_ROBOT_FORMAT", p.Getenv("CUPOLA_ROBOT_FORMAT")); err != nil {
		failed = err
	}
	return defaults, failed
}

func setDefault(defaults *registry.Globals, flag, env, value string) error {
	if value == "" {
		return nil
	}
	if err := defaults.Set(registry.GlobalField(flag), value); err != nil {
		e := *core.AsError(err)
		e.Message, e.Hint = env+strings.TrimPrefix(e.Message, "--"+flag), "Correct or unset "+env+"."
		return &e
	}
	return nil
}

func withDefaults(globals, defaults registry.Globals) registry.Globals {
	if globals.Envelope == "" {
		globals.Envelope = defaults.Envelope
	}
	if globals.Errors == "" {
		globals.Errors = defaults.Errors
	}
	if globals.ExitCodes == "" {
		globals.ExitCodes = defaults.ExitCodes
	}
	return globals
}
