package agent

import (
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
)

// Headless describes how a kind answers one prompt without a terminal. Its command line is Launch.Command followed by
// Mode, Resume where a conversation continues, Args, the arguments of the sandbox and of the model, Forget where the
// conversation is not to continue, and Last. The zero value means that the kind has no such mode.
type Headless struct {
	// Format is the format of the answer that the program prints: one of core/run/relay/stream.
	Format string
	// Mode selects the mode: a subcommand or a flag.
	Mode []string
	Args []string
	// Last are the last arguments, such as the dash that means standard input, where the
	// prompt always goes.
	Last []string
	// Resume are the arguments that continue the conversation whose id replaces SessionID; empty where the kind cannot.
	// Forget are the arguments that keep a conversation off the disk.
	Resume []string
	Forget []string
	// Totals is true if the usage and the cost that a continued conversation reports cover all of it.
	Totals bool
	// Schema are the arguments that demand an answer of a JSON Schema; SchemaFile in them is
	// replaced by the path of its file. Empty where the kind has none.
	Schema []string
	// Review are the arguments, in place of Mode, with which the kind itself reviews the changes
	// since BaseRef. It then takes no prompt, and none of Resume, Last and Schema. Empty where
	// the kind has no review of its own.
	Review []string
	// Unset are variables of the environment that the program must not see; a name that ends
	// with an asterisk means all that begin with what is before it.
	Unset []string
	// Sandbox are the sandbox modes that the kind can hold, by their names.
	Sandbox map[string]Sandbox
	// Failure are the meanings of its words and exit statuses; the first that matches counts.
	Failure []Failure
}

// Sandbox is the set of limits on a kind while it answers.
type Sandbox struct {
	Args []string
	// Env are variables that are set for the program.
	Env map[string]string
	// Guarantee is one sentence about the boundary that holds the mode, and its limits.
	Guarantee string
}

// Failure is the meaning of one way of failing.
type Failure struct {
	// Exit is the exit status; 0 is any but success.
	Exit int
	// Words is a pattern for what the program said; empty matches all.
	Words string
	Code  core.Code
	// Hint is the advice to the user; empty is the advice of the code.
	Hint string
	// Again is true if the program failed before it did anything, so that it can run again.
	Again bool
}

// The placeholders of Headless, besides SessionID.
const (
	SchemaFile = "{schema}"
	BaseRef    = "{base}"
)

// Given reports whether the kind answers without a terminal.
func (h *Headless) Given() bool { return h.Format != "" }

// Meaning returns the failure that an exit status and the program's words mean.
func (h *Headless) Meaning(exit int, said string) (Failure, bool) {
	i := slices.IndexFunc(h.Failure, func(f Failure) bool {
		if f.Exit != 0 && f.Exit != exit {
			return false
		}
		words, err := regexp.Compile(f.Words)
		return err == nil && words.MatchString(said)
	})
	if i >= 0 {
		return h.Failure[i], true
	}
	if NamesNoModel(said) {
		return Failure{Code: core.ModelNotFound}, true
	}
	return Failure{}, false
}

// unknownModel matches how programs and APIs report a model that does not exist.
var unknownModel = regexp.MustCompile(`(?i)model_not_found|ModelNotFoundError|unknown model|` +
	`\bmodel\b[^\n]{0,120}\b(not found|does not exist|not exist|is not supported|not available|is invalid)`)

// NamesNoModel reports whether a message says that a model does not exist.
func NamesNoModel(message string) bool { return unknownModel.MatchString(message) }

func (h *Headless) check(src source) error {
	if !h.Given() {
		if h.Mode != nil || h.Args != nil || h.Sandbox != nil {
			return src.errorf(toml.Key{"headless", "format"}, "is missing")
		}
		return nil
	}
	for name, sandbox := range h.Sandbox {
		if strings.TrimSpace(sandbox.Guarantee) == "" {
			return src.errorf(toml.Key{"headless", "sandbox", name, "guarantee"}, "is missing: say what holds the mode")
		}
	}
	for _, failure := range h.Failure {
		if _, known := failure.Code.Row(); !known {
			return src.errorf(toml.Key{"headless", "failure"}, "%q is no error code", failure.Code)
		}
		if err := src.compiles(toml.Key{"headless", "failure"}, failure.Words); err != nil {
			return err
		}
	}
	return nil
}
