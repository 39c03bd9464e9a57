package house

// sockets requires core/system/private/socket for connecting: it asks who listens before a byte is written or read.
// tmux's wire asks by itself.
func sockets(m *module) (seen int, faults []fault) {
	const told = "connects without asking who listens; connect with core/system/private/socket"
	for _, s := range m.files {
		if s.test || s.script ||
			withinAny(s.dir, "core/agent/sandbox/hold", // reaches other machines for a sandbox
				"core/system/private/socket", "core/engine/tmux/wire", "core/engine/enginetest") {
			continue
		}
		seen++
		for _, of := range []struct {
			path  string
			names []string
		}{
			{"net", []string{"Dial", "DialTimeout", "DialUnix", "Dialer"}},
			{"syscall", []string{"Connect"}},
			{"golang.org/x/sys/unix", []string{"Connect"}},
		} {
			for _, n := range uses(s, of.path, of.names, nil) {
				faults = append(faults, s.fault(n, told))
			}
		}
	}
	return seen, faults
}
