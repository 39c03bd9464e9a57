package house

import "strings"

// files requires core/system/plainfile for files of other programs, which limits their size, and
// core/config/tomlfile for TOML, which limits nesting. Exempt are system files in core/system/process and
// the root of a test's tree.
func files(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || s.script || within(s.dir, "cmd") && !within(s.dir, "cmd/cli") || strings.HasSuffix(s.dir, "test") {
			continue
		}
		seen++
		if !withinAny(s.dir, "core/system/plainfile", "core/system/process") {
			for _, n := range uses(s, "os", []string{"ReadFile", "Open", "DirFS"}, nil) {
				faults = append(faults,
					s.fault(n, "reads a file that may have no end; read it with core/system/plainfile"))
			}
		}
		if !within(s.dir, "core/config/tomlfile") {
			for _, n := range uses(s, "github.com/BurntSushi/toml",
				[]string{"Decode", "DecodeFile", "DecodeFS", "NewDecoder", "Unmarshal"}, nil) {
				faults = append(faults, s.fault(n, "parses TOML of any depth; parse it with core/config/tomlfile"))
			}
		}
	}
	return seen, faults
}
