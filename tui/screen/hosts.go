package screen

import (
	"strings"

	"cupola/core/host"
)

// HostOf is the name of the host that has a session or pane, by its id; empty for this machine.
func HostOf(id string) string {
	if !host.Elsewhere(id) {
		return ""
	}
	name, _, _ := strings.Cut(id, "/")
	return name
}

// Hosts are this machine and the other ones. The zero value was not read yet.
type Hosts struct {
	// Read is true once they were read, Wrong why they cannot be.
	Read  bool
	Wrong string
	// List has this machine first.
	List []Host
}

// Host is a machine, and how it is.
type Host struct {
	// Name is empty for this machine.
	Name  string
	State host.State
	// Reason says why it cannot be asked, By how it is reached.
	Reason, By string
	// RoundTrip is how long it took to reach it, in milliseconds; below 0 if that is not known.
	RoundTrip float64
	Version   string
	Hostname  string
	Agents    int
	Needs     int
	Machine   host.Machine
}
