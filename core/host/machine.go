package host

import (
	"bytes"
	"os"
	"runtime"
	"strconv"

	"cupola/core/disk"
	"cupola/core/plainfile"
)

// procMost is more than a file of the system has about itself, in bytes.
const procMost = 64 << 10

// ThisMachine returns how busy this machine is.
func ThisMachine() *Machine {
	m := &Machine{Cores: runtime.NumCPU(), Load: -1}
	if home, err := os.UserHomeDir(); err == nil {
		if space, err := disk.Of(home); err == nil {
			m.DiskFree = space.Free
		}
	}
	// Both files are those of Linux; elsewhere neither is known.
	if text, err := plainfile.Read("/proc/loadavg", procMost); err == nil {
		word, _, _ := bytes.Cut(text, []byte(" "))
		if load, err := strconv.ParseFloat(string(word), 64); err == nil {
			m.Load = load
		}
	}
	if text, err := plainfile.Read("/proc/meminfo", procMost); err == nil {
		_, rest, _ := bytes.Cut(text, []byte("MemAvailable:"))
		word, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
		if kilobytes, err := strconv.ParseUint(string(word), 10, 64); err == nil {
			m.MemoryFree = kilobytes << 10
		}
	}
	return m
}

// Busier reports whether one machine has less room for more agents than another, with the agents that each has. One of
// which nothing is known counts as if it had one core.
func Busier(a *Machine, agents int, b *Machine, others int) bool {
	return a.share(agents) > b.share(others)
}

// share is how much there is to do for each core.
func (m *Machine) share(agents int) float64 {
	if m == nil || m.Cores < 1 {
		return float64(agents)
	}
	work := float64(agents) + max(0, m.Load)
	if m.MemoryFree > 0 && m.MemoryFree < memoryNeeded {
		work += float64(m.Cores) * tooFull
	}
	return work / float64(m.Cores)
}

const (
	// memoryNeeded is what an agent needs, in bytes. A machine with less is chosen only if there is no other.
	memoryNeeded = 512 << 20
	tooFull      = 1000
)
