package relay

import (
	"maps"
	"slices"
)

// Sandbox is the permission of a backend while it answers.
type Sandbox string

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
	names := []string{}
	for _, mode := range slices.Sorted(maps.Keys(modes)) {
		names = append(names, string(mode))
	}
	return names
}
