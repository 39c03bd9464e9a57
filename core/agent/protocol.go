package agent

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"cupola/core"
)

// Protocol describes how a kind speaks the Agent Client Protocol. The zero value means that it does not.
type Protocol struct {
	// Command is the program and its arguments; Self in them is replaced by the path of the running executable.
	Command []string
	// Install is a command that installs the program; empty where it is the kind's own.
	Install string
	// Continues is how a conversation is taken up: "resume", "load", "never", or empty for whatever the agent offers.
	Continues string
	// Totals is true if the tokens of a turn include those of the turns before.
	Totals bool
	// Draft asks for version 2 of the protocol, which is a draft.
	Draft bool
	// Noise are patterns of messages of the program itself.
	Noise []string
	// Modes are the agent's names of the modes, by core.Mode.
	Modes map[string]string `toml:"mode"`
	// Failure are the meanings of its words; the first that matches counts. Exit statuses are not used.
	Failure []Failure
}

// Given reports whether the kind speaks the protocol.
func (p *Protocol) Given() bool { return len(p.Command) > 0 }

// Argv returns the command line. Self is the path of the running executable.
func (p *Protocol) Argv(self string) []string {
	argv := slices.Clone(p.Command)
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], Self, self)
	}
	return argv
}

// compiledWords are the patterns of protocols that were asked for.
var compiledWords sync.Map

// patternOf compiles a pattern that check has seen.
func patternOf(words string) *regexp.Regexp {
	if known, has := compiledWords.Load(words); has {
		pattern, _ := known.(*regexp.Regexp)
		return pattern
	}
	pattern := regexp.MustCompile(words)
	compiledWords.Store(words, pattern)
	return pattern
}

// NoisePatterns returns Noise, compiled.
func (p *Protocol) NoisePatterns() []*regexp.Regexp {
	return core.Map(p.Noise, patternOf)
}

// Meaning returns the failure that words mean: those of an error, or of a whole answer.
func (p *Protocol) Meaning(said string) (Failure, bool) {
	for _, failure := range p.Failure {
		if failure.Words != "" && patternOf(failure.Words).MatchString(said) {
			return failure, true
		}
	}
	return Failure{}, false
}

// checkBy sees that the panes of a kind can be shown as its file says.
func checkBy(k *Kind, src source) error {
	switch {
	case k.Launch.By == "" || k.Launch.By == ByScreen, k.Launch.By == ByProtocol && k.ACP.Given():
		return nil
	case k.Launch.By == ByProtocol:
		return src.errorf(toml.Key{"launch", "by"}, "is acp, and the part [acp] is missing")
	}
	return src.errorf(toml.Key{"launch", "by"}, "%q is none of screen, acp", k.Launch.By)
}

func (p *Protocol) check(src source) error {
	if !p.Given() && (p.Modes != nil || p.Noise != nil || p.Continues != "") {
		return src.errorf(toml.Key{"acp", "command"}, "is missing")
	}
	if !slices.Contains([]string{"", "resume", "load", "never"}, p.Continues) {
		return src.errorf(toml.Key{"acp", "continues"}, "%q is none of resume, load, never", p.Continues)
	}
	for name := range p.Modes {
		if !slices.Contains(core.Modes(), core.Mode(name)) {
			return src.errorf(toml.Key{"acp", "mode"}, "%q is none of the modes", name)
		}
	}
	for _, words := range p.Noise {
		if err := src.compiles(toml.Key{"acp", "noise"}, words); err != nil {
			return err
		}
	}
	for _, failure := range p.Failure {
		if _, known := failure.Code.Row(); !known {
			return src.errorf(toml.Key{"acp", "failure"}, "%q is no error code", failure.Code)
		}
		if err := src.compiles(toml.Key{"acp", "failure"}, failure.Words); err != nil {
			return err
		}
	}
	return nil
}
