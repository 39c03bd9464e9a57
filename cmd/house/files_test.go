package house

import "strings"

// files has what others write read by core/plainfile, which knows what has no end,
// and TOML parsed by core/tomlfile, which knows what is too deep. What stays outside
// is the system's own: core/process and the root of a test's tree.
func files(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || s.script || within(s.dir, "cmd") && !within(s.dir, "cmd/cli") || strings.HasSuffix(s.dir, "test") {
			continue
		}
		seen++
		if !withinAny(s.dir, "core/plainfile", "core/process") {
			for _, n := range uses(s, "os", []string{"ReadFile", "Open", "DirFS"}, nil) {
				faults = append(faults, s.fault(n, "reads a file that may have no end; read it with core/plainfile"))
			}
		}
		if !within(s.dir, "core/tomlfile") {
			for _, n := range uses(s, "github.com/BurntSushi/toml",
				[]string{"Decode", "DecodeFile", "DecodeFS", "NewDecoder", "Unmarshal"}, nil) {
				faults = append(faults, s.fault(n, "parses TOML of any depth; parse it with core/tomlfile"))
			}
		}
	}
	return seen, faults
}
