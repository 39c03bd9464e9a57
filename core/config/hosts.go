package config

import (
	"slices"
	"strings"

	"cupola/core/config/tomlfile"
	"cupola/core/host"
	"cupola/core/system/textfile"
)

// hostsSection is the section of all hosts; each has one of its own below it.
const hostsSection = "hosts"

// SetHost plans to write a host into the user's file. Comments, order and all else stay.
func SetHost(paths Paths, name string, settings host.Settings) (*textfile.Change, error) {
	section := hostsSection + "." + name
	keys := []struct {
		name  string
		value any
		given bool
	}{
		{"ssh", settings.SSH, settings.SSH != ""},
		{"options", items(settings.Options), len(settings.Options) > 0},
		{"program", settings.Program, settings.Program != ""},
		{"disabled", settings.Disabled, settings.Disabled},
		{"labels", items(settings.Labels), len(settings.Labels) > 0},
	}
	return paths.edit(User, func(text string) string {
		for _, key := range keys {
			if key.given {
				text = withIn(text, section, key.name, key.value)
			} else {
				text = without(text, section+"."+key.name)
			}
		}
		return text
	}, func(raw map[string]any) {
		put(raw, []string{hostsSection, name}, nil)
		for _, key := range keys {
			if key.given {
				put(raw, []string{hostsSection, name, key.name}, key.value)
			}
		}
	})
}

// RemoveHost plans to take a host out of the user's file, with its section.
func RemoveHost(paths Paths, name string) (*textfile.Change, error) {
	section := hostsSection + "." + name
	return paths.edit(User, func(text string) string {
		// The header goes last, for it says whose the keys are.
		for _, s := range slices.Backward(tomlfile.Statements(text)) {
			if s.Header && s.Name == section || !s.Header && strings.HasPrefix(s.Name, section+".") {
				text = text[:s.From] + text[s.To:]
			}
		}
		return text
	}, func(raw map[string]any) { put(raw, []string{hostsSection, name}, nil) })
}

// items are texts as TOML gives a list.
func items(list []string) []any {
	all := make([]any, len(list))
	for i := range list {
		all[i] = list[i]
	}
	return all
}
