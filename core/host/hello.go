package host

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"cupola/core/system/plainfile"
	"cupola/core/system/private"
	"cupola/core/system/textfile"
)

// Hello is the first line of the program on the other host.
type Hello struct {
	// Cupola is always "remote", so that nothing else that is printed is taken for a hello.
	Cupola   string `json:"cupola"`
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Hostname string `json:"hostname"`
	// Time is the time on its clock at that moment; zero if that is not known.
	Time time.Time `json:"time,omitzero"`
	// Machine is how busy it is; nil if that is not known.
	Machine *Machine `json:"machine,omitempty"`
	// Fleet is another word for each user of each machine since it started; empty if it is not known. Two hosts with
	// one word are one.
	Fleet string `json:"fleet,omitempty"`
	// Tmux is the version of tmux on a host without Cupola, for which a program of this machine answers.
	Tmux string `json:"-"`
}

// Machine is how busy a machine is.
type Machine struct {
	Cores int `json:"cores"`
	// Load is how many processes wanted to run in the last minute, on average; below 0 if that is not known.
	Load float64 `json:"load"`
	// MemoryFree is the memory that programs can still get, and DiskFree the free space on the disk of the user's
	// folder, both in bytes; 0 if not known.
	MemoryFree uint64 `json:"memory_free"`
	DiskFree   uint64 `json:"disk_free"`
}

// helloWord is the Cupola of every Hello.
const helloWord = "remote"

// NewHello returns the first line of this program.
func NewHello(version, hostname string) Hello {
	return Hello{
		Cupola: helloWord, Protocol: Protocol, Version: version, Hostname: hostname, Machine: ThisMachine(),
		Time: time.Now().UTC(),
	}
}

// FleetOf returns the word of the fleet whose runtime folder is given, and makes it if there is none: the folder
// belongs to one user of one machine, and goes when that starts anew. It is empty if the folder cannot be written to.
func FleetOf(dir string) string {
	if dir == "" {
		return ""
	}
	path := filepath.Join(dir, "fleet")
	for range 2 {
		text, err := plainfile.Read(path, plainfile.Record)
		if word := strings.TrimSpace(string(text)); err == nil && named(word) {
			return word
		}
		if private.MakeFolder(dir) != nil || textfile.Put(path, []byte(strings.ToLower(rand.Text()))) != nil {
			return ""
		}
	}
	return "" // two processes made it at once, and one of them reads it the next time
}

// Skewed says that a host has another version than this program; empty if it has not, or if one of them is not known.
func (h *Hello) Skewed(name, version string) string {
	if h.Version == "" || version == "" || h.Version == version {
		return ""
	}
	return fmt.Sprintf("host %s has Cupola %s, and this machine %s", name, h.Version, version)
}

// skewLeast is the least difference of two clocks that is not taken for the time that a hello took.
const skewLeast = time.Minute

// Skew returns how far the clock of the host is ahead, for a hello that came at a time of this clock; 0 if it is less
// than a minute, or not known.
func (h *Hello) Skew(at time.Time) time.Duration {
	if h.Time.IsZero() {
		return 0
	}
	if skew := h.Time.Sub(at).Round(time.Second); skew.Abs() >= skewLeast {
		return skew
	}
	return 0
}
