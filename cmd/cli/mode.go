package cli

import (
	"cmp"
	"os"
	"strings"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/verb/registry"
)

// settle chooses the face by the global flags, as far as they were read, and makes what verbs
// work with.
func (p *program) settle() error {
	globals, err := p.flags.Read(p.line.Robot)
	p.globals = globals
	err = cmp.Or(p.environment(), err)
	p.robotic = p.chooseRobot()
	if p.piped() && !p.globals.Quiet {
		warn(p.Stderr, "this is JSON, as standard output is a pipe; --human prints text")
	}
	p.deps = p.wire()
	return err
}

// piped reports whether a person gets an answer for programs only since it goes into a pipe.
func (p *program) piped() bool {
	verb := p.catalog.Find(p.line.Command)
	if !p.robotic || p.explicit() || p.Getenv("CUPOLA_ROBOT") != "" || verb == nil || verb.ForPrograms ||
		!look.Terminal(p.Stdin) || !look.Terminal(p.Stderr) {
		return false
	}
	info, err := p.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// explicit reports whether a flag asks for robot mode.
func (p *program) explicit() bool { return p.line.Robot || p.flags.Robotic() }

// chooseRobot decides the face: an explicit flag, then whether the verb is for programs, then
// CUPOLA_ROBOT, then whether stdout is a terminal.
func (p *program) chooseRobot() bool {
	switch {
	case p.explicit():
		return true
	case p.globals.Human:
		return false
	}
	if verb := p.catalog.Find(p.line.Command); verb != nil && verb.ForPrograms {
		return true
	}
	switch strings.ToLower(p.Getenv("CUPOLA_ROBOT")) {
	case "":
		return !look.Terminal(p.Stdout)
	case "0", "false":
		return false
	}
	return true
}

// environment sets the global flags that were not given to the defaults of wrappers.
func (p *program) environment() error {
	var failed error
	for _, setting := range []struct {
		env, flag string
		value     *string
	}{
		{"CUPOLA_ENVELOPE", "envelope", &p.globals.Envelope},
		{"CUPOLA_ERRORS", "errors", &p.globals.Errors},
		{"CUPOLA_EXIT_CODES", "exit-codes", &p.globals.ExitCodes},
		{"CUPOLA_ROBOT_FORMAT", "robot-format", new(string)}, // the face uses it where the verb has that format
	} {
		value := p.Getenv(setting.env)
		if value == "" {
			continue
		}
		err := registry.CheckEnum(setting.flag, []string{value}, registry.GlobalField(setting.flag).Enum)
		if err != nil {
			e := *core.AsError(err)
			e.Message = setting.env + strings.TrimPrefix(e.Message, "--"+setting.flag)
			e.Hint, failed = "Correct or unset "+setting.env+".", &e
		} else if *setting.value == "" {
			*setting.value = value
		}
	}
	return failed
}
