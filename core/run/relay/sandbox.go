package relay

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"cupola/core"
)

// Sandbox names the limits of a backend while it answers: a mode of the backend's own, the name of a sandbox that its
// program runs in, or both as MODE+NAME. A name alone leaves the mode to the settings.
type Sandbox string

// joint is between a mode and a name.
const joint = "+"

// Parts returns the mode and the name; each is empty if it is not given.
func (s Sandbox) Parts() (mode Sandbox, name string) {
	first, second, _ := strings.Cut(string(s), joint)
	if slices.Contains(Sandboxes(), Sandbox(first)) {
		return Sandbox(first), second
	}
	if slices.Contains(Sandboxes(), Sandbox(second)) {
		return Sandbox(second), first
	}
	return Sandbox(second), first
}

// Or returns the sandbox with the mode of another one where it has none, or that one if it is empty.
func (s Sandbox) Or(usual Sandbox) Sandbox {
	mode, name := s.Parts()
	if usualMode, _ := usual.Parts(); name != "" && mode == "" {
		return usualMode + joint + Sandbox(name)
	}
	return cmp.Or(s, usual)
}

// The sandbox modes. What a mode guarantees differs by backend: see Backend.Guarantee.
const (
	ReadOnly       Sandbox = "read-only"
	WorkspaceWrite Sandbox = "workspace-write"
	FullAccess     Sandbox = "danger-full-access"
)

// Sandboxes are the modes, from the strictest on.
func Sandboxes() []Sandbox { return []Sandbox{ReadOnly, WorkspaceWrite, FullAccess} }

// serverGuarantee is the guarantee of the only mode of a server.
const serverGuarantee = "The server gets the text of the prompt, and can neither read nor change files here."

// sorted returns the names of modes in the order of the alphabet.
func sorted[V any](modes map[Sandbox]V) []string {
	return core.Map(slices.Sorted(maps.Keys(modes)), func(mode Sandbox) string { return string(mode) })
}
