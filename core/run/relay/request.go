package relay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/sandbox"
	"cupola/core/run"
	"cupola/core/run/relay/stream"
	"cupola/core/text/near"
)

// The limits of what is sent, in bytes of UTF-8 without blanks around it.
const (
	MaxContext = 200_000
	MaxDiff    = 300_000
	MaxPrompt  = 500_000
)

// Request is one prompt, with what is to be known for it.
type Request struct {
	Prompt string
	// Bare sends the prompt alone, without the words around it.
	Bare bool
	// Backend names who is asked. Model is empty for the backend's own choice.
	Backend string
	Model   string
	// By is how a backend is asked that can be asked in several ways; empty is as usual.
	By By
	// Dir is the directory that it is about, an absolute path.
	Dir     string
	Sandbox Sandbox
	// Env are variables that a program gets besides, as NAME=VALUE.
	Env []string
	// Context is further material for the backend.
	Context Context
	// Review asks for a review of the changes since Base; an empty Base is found in the
	// repository. A review needs no prompt.
	Review bool
	Base   string
	// Label is the conversation that continues, or begins; empty for none. Panel is shared by
	// relays that are asked together.
	Label, Panel string
	// Session continues the backend's own conversation with that id; Keep keeps a new one, so that it can be
	// continued. History is the conversation so far where the backend keeps none.
	Session string
	Keep    bool
	History []Turn
	// Before is the usage of that conversation until now; nil where it is not known.
	Before *stream.Usage
	// Schema is the path of a file with a JSON Schema that the answer must fit; empty for none. Backends that can get
	// it; the caller checks whether the answer fits.
	Schema string
	// Timeout is how long the answer may take, and Quiet how long the backend may print nothing;
	// a Quiet of 0 sets no limit.
	Timeout time.Duration
	Quiet   time.Duration
	// Limits is the reaction to a usage limit.
	Limits run.LimitPolicy
}

// check makes the checks that need neither file nor repository, in this order: prompt, time,
// directory, backend, sandbox mode.
func (r *Request) check(all Backends, held *sandbox.Set) (*Backend, error) {
	if strings.TrimSpace(r.Prompt) == "" && !r.Review {
		return nil, core.Errorf(core.MissingRequired, "Prompt is required")
	}
	if r.Timeout <= 0 {
		return nil, core.Errorf(core.InvalidInput, "Timeout must be greater than zero")
	}
	if info, err := os.Stat(r.Dir); err != nil || !info.IsDir() {
		dir, _ := filepath.Abs(r.Dir)
		return nil, core.Errorf(core.ProjectNotFound, "Repository path does not exist or is not a directory: %s", dir)
	}
	backend, err := all.FindBy(r.Backend, r.By)
	if err != nil {
		return nil, err
	}
	if err := backend.holds(r.Sandbox, held); err != nil {
		return nil, err
	}
	return backend, nil
}

// holds returns an error for a sandbox mode that the backend cannot hold, and for a sandbox that its program cannot run
// in.
func (b *Backend) holds(asked Sandbox, set *sandbox.Set) error {
	mode, name := asked.Parts()
	switch _, held := b.Modes[mode]; {
	case held && name == "":
		return nil
	case held && b.server != nil:
		return core.Errorf(core.InvalidInput, "%s is a server: no sandbox here holds it", b.Name)
	case held && set.Has(name):
		return set.Check(name)
	case held, mode == "":
		mode = Sandbox(name)
	}
	modes := sorted(b.Modes)
	e := &core.Error{
		Code: core.InvalidInput,
		Message: fmt.Sprintf("Invalid sandbox mode: %s. Allowed values: %s", mode,
			strings.Join(modes, ", ")),
		Suggestions: near.Words(string(mode), modes), Slip: core.Slip{Word: string(mode), Input: "sandbox"},
	}
	if slices.Contains(Sandboxes(), mode) {
		e.Hint = fmt.Sprintf("%s cannot hold %s. It is not replaced by another mode, because that would hold less or "+
			"allow less than you asked for.", b.Name, mode)
		e.Suggestions = modes
	} else if names := set.Names(); len(names) > 0 {
		e.Suggestions = near.Words(string(mode), append(names, modes...))
		e.Hint = "A sandbox to run in is one of " + strings.Join(names, ", ") + "; MODE+NAME asks for both."
	}
	return e
}

// fits returns an error for a text that is longer than it may be.
func fits(label, text string, most int) error {
	if n := len(strings.TrimSpace(text)); n > most {
		return tooLarge(label, int64(n), most)
	}
	return nil
}

func tooLarge(label string, bytes int64, most int) error {
	return &core.Error{
		Code:    core.InvalidInput,
		Message: fmt.Sprintf("%s is too large (%d bytes; max %d bytes)", label, bytes, most),
		Hint:    "Send less: name the part that matters, or let the backend read the files itself.",
		Details: map[string]any{"bytes": bytes, "max": most},
	}
}
