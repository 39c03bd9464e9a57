package agent

import (
	"strings"
)

// Key describes a key that a kind's file may hold.
type Key struct {
	// Name is its whole name; NAME in it is any name of the user's, and [] an array of tables.
	Name string
	// Form is the form of its value: "text", "pattern", "list of keys".
	Form string
	// Says what the key means, in one sentence or two.
	Says string
}

// Section describes a table of a kind's file.
type Section struct {
	// Name is the name of the table, as in Key; empty for the keys above all tables.
	Name string
	// Says what the table is for, in one sentence or two.
	Says string
	Keys []Key
}

// Header is the line that begins the table in a file, in double brackets for one of several.
func (s Section) Header() string {
	if name, several := strings.CutSuffix(s.Name, "[]"); several {
		return "[[" + name + "]]"
	}
	return "[" + s.Name + "]"
}

// Sections returns all tables and keys that a kind's file may hold, in the order in which they are usually written.
func Sections() []Section {
	sections := make([]Section, len(sectionDocs))
	for i, doc := range sectionDocs {
		sections[i] = Section{Name: doc.name, Says: doc.says}
		for _, line := range strings.Split(strings.ReplaceAll(strings.TrimSpace(doc.keys), "\n ", " "), "\n") {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
			form, says, _ := strings.Cut(rest, ". ")
			sections[i].Keys = append(sections[i].Keys, Key{Name: joined(doc.name, name), Form: form, Says: says})
		}
	}
	return sections
}

func joined(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

// KeyOf returns the description of a key by its whole name, such as rule.approval.region; ok is false for a name that
// no file may hold.
func KeyOf(name string) (_ Key, ok bool) {
	parts := strings.Split(name, ".")
	for _, section := range Sections() {
		for _, key := range section.Keys {
			if sameName(strings.Split(strings.ReplaceAll(key.Name, "[]", ""), "."), parts) {
				return key, true
			}
		}
	}
	return Key{}, false
}

func sameName(pattern, name []string) bool {
	if len(pattern) != len(name) {
		return false
	}
	for i, part := range pattern {
		if part != "NAME" && part != name[i] {
			return false
		}
	}
	return true
}
