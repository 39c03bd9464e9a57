// Package sandbox says what a program that works in a project may see, change and reach, and builds the command line
// that holds it to that: with bubblewrap or a container on Linux, and sandbox-exec on macOS. It computes and checks;
// package hold runs the result. A sandbox that cannot be held is an error before anything is started: no program of a
// sandbox ever runs without it.
package sandbox

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
)

// Settings is a sandbox as the section [sandbox.NAME] of the settings describes it. The zero value sees the project and
// the agent's own folder, and reaches no network.
type Settings struct {
	// By is the program that holds it; empty is the usual one of the system.
	By string `toml:"by"`
	// Image is the image of a container.
	Image string `toml:"image"`
	// Network is one of the words for networks; empty is NetworkOff.
	Network string `toml:"network"`
	// Hosts lists the hosts that NetworkHosts reaches, as NAME or NAME:PORT with * for any beginning, or the ports of
	// this machine that NetworkLoopback reaches.
	Hosts []string `toml:"hosts"`
	// Reads and Writes are more paths that it sees and changes, and Hides paths that it does not see. For each folder
	// of Caches it has one of its own, which outlives it.
	Reads  []string `toml:"reads"`
	Writes []string `toml:"writes"`
	Hides  []string `toml:"hides"`
	Caches []string `toml:"caches"`
	// Env are the names of the caller's variables that it gets beside the usual ones, with * for any end.
	Env []string `toml:"env"`
}

// What holds sandboxes.
const (
	Bubblewrap   = "bubblewrap"
	Podman       = "podman"
	Docker       = "docker"
	SandboxExec  = "sandbox-exec"
	Devcontainer = "devcontainer"
)

// programs has the program that must be installed for each.
var programs = map[string]string{
	Bubblewrap: "bwrap", Podman: "podman", Docker: "docker", SandboxExec: "sandbox-exec", Devcontainer: "devcontainer",
}

// Holders returns the programs that can hold a sandbox.
func Holders() []string { return []string{Bubblewrap, Podman, Docker, SandboxExec, Devcontainer} }

// The networks of a sandbox. Each has a loopback of its own beside what the word names.
const (
	NetworkOff = "off"
	// NetworkLoopback reaches ports of this machine's loopback.
	NetworkLoopback = "loopback"
	// NetworkHosts reaches some hosts, by a proxy.
	NetworkHosts = "hosts"
	NetworkAll   = "all"
)

// Networks returns the words for networks, the strictest first.
func Networks() []string { return []string{NetworkOff, NetworkLoopback, NetworkHosts, NetworkAll} }

// usualCaches are the caches of the sandboxes that are built in.
var usualCaches = []string{"~/.cache", "~/.npm", "~/go/pkg"}

// Builtin returns the sandboxes that need no settings.
func Builtin() map[string]Settings {
	return map[string]Settings{
		"project": {Network: NetworkAll, Caches: usualCaches},
		"offline": {Network: NetworkOff, Caches: usualCaches},
	}
}

// All returns the sandboxes of the settings, and those built in that they do not change.
func All(settings map[string]Settings) map[string]Settings {
	all := Builtin()
	maps.Copy(all, settings)
	return all
}

// Find returns a sandbox by its name. It returns InvalidInput with the near misses if there is none, and ConfigInvalid
// for settings that make no sense.
func Find(settings map[string]Settings, name string) (Settings, error) {
	all := All(settings)
	found, is := all[name]
	if !is {
		names := slices.Sorted(maps.Keys(all))
		err := core.Errorf(core.InvalidInput, "no sandbox is named %q", name)
		err.Suggestions, err.Slip.Word = near.Words(name, names), name
		err.Hint = "There are " + strings.Join(names, ", ") +
			"; a section [sandbox.NAME] of the settings makes another."
		return found, err
	}
	err := found.check(name)
	return found, err
}

func (s *Settings) check(name string) error {
	wrong := func(key, value string, valid []string) error {
		err := core.Errorf(core.ConfigInvalid, "sandbox.%s.%s is %q", name, key, value)
		err.Suggestions = near.Words(value, valid)
		err.Hint = "It is one of " + strings.Join(valid, ", ") + "."
		return err
	}
	if s.By != "" && !slices.Contains(Holders(), s.By) {
		return wrong("by", s.By, Holders())
	}
	if s.Network != "" && !slices.Contains(Networks(), s.Network) {
		return wrong("network", s.Network, Networks())
	}
	listed := s.Network == NetworkHosts || s.Network == NetworkLoopback
	if listed != (len(s.Hosts) > 0) {
		return core.Errorf(core.ConfigInvalid,
			"sandbox.%s: hosts belong to the networks loopback and hosts, and to no other", name)
	}
	if s.Network == NetworkLoopback {
		for _, port := range s.Hosts {
			if !isPort(port) {
				return core.Errorf(core.ConfigInvalid, "sandbox.%s: the network loopback has ports, and %q is none",
					name, port)
			}
		}
	}
	if (s.By == Podman || s.By == Docker) && s.Image == "" {
		return core.Errorf(core.ConfigInvalid, "sandbox.%s: a container needs an image", name)
	}
	return nil
}

// isPort reports whether a text is the number of a port.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}
