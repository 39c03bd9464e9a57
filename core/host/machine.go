package host

import (
	"os"
	"runtime"

	"cupola/core/system/disk"
	"cupola/core/system/process"
)

// ThisMachine returns how busy this machine is.
func ThisMachine() *Machine {
	m := &Machine{Cores: runtime.NumCPU(), Load: process.Load(), MemoryFree: process.FreeMemory()}
	if home, err := os.UserHomeDir(); err == nil {
		if space, err := disk.Of(home); err == nil {
			m.DiskFree = space.Free
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
	// memoryNeeded is the memory that an agent needs, in bytes. A machine with less is chosen only if there is no
	// other.
	memoryNeeded = 512 << 20
	tooFull      = 1000
)
