package config

import (
	"maps"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/config/tomlfile"
	"cupola/core/host"
	"cupola/core/system/textfile"
)

// hostsSection is the section of all hosts; each has one of its own below it.
const hostsSection = "hosts"

// SetHosts plans to write hosts into the user's file; those without settings are taken out, with their sections.
// Comments, order and all else stay.
func SetHosts(paths Paths, hosts map[string]*host.Settings) (*textfile.Change, error) {
	names := slices.Sorted(maps.Keys(hosts))
	return paths.edit(User, func(text string) string {
		for _, name := range names {
			if hosts[name] == nil {
				text = withoutHost(text, name)
				continue
			}
			for _, key := range keysOf(hosts[name]) {
				if key.given {
					text = withIn(text, hostsSection+"."+name, key.name, key.value)
				} else {
					text = without(text, hostsSection+"."+name+"."+key.name)
				}
			}
		}
		return text
	}, func(raw map[string]any) {
		for _, name := range names {
			put(raw, []string{hostsSection, name}, nil)
			for _, key := range keysOf(hosts[name]) {
				if key.given {
					put(raw, []string{hostsSection, name, key.name}, key.value)
				}
			}
		}
	})
}

// hostKey is a key of a host's section; one that is not given is not there.
type hostKey struct {
	name  string
	value any
	given bool
}

// keysOf returns the keys of a host's section; nil has none.
func keysOf(settings *host.Settings) []hostKey {
	if settings == nil {
		return nil
	}
	return []hostKey{
		{"ssh", settings.SSH, settings.SSH != ""},
		{"options", items(settings.Options), len(settings.Options) > 0},
		{"program", settings.Program, settings.Program != ""},
		{"disabled", settings.Disabled, settings.Disabled},
		{"labels", items(settings.Labels), len(settings.Labels) > 0},
	}
}

// withoutHost is a text without the section of a host.
func withoutHost(text, name string) string {
	section := hostsSection + "." + name
	// The header goes last, for it says whose the keys are.
	for _, s := range slices.Backward(tomlfile.Statements(text)) {
		if s.Header && s.Name == section || !s.Header && strings.HasPrefix(s.Name, section+".") {
			text = text[:s.From] + text[s.To:]
		}
	}
	return text
}

// items are texts as TOML gives a list.
func items(list []string) []any {
	return core.Map(list, func(s string) any { return s })
}
