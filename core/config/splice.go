package config

import (
	"fmt"
	"regexp"
	"strings"

	"cupola/core/config/tomlfile"
)

// with is a text in which a key has a value.
func with(text string, key Key, value any) string {
	section := key.Section()
	return withIn(text, section, strings.TrimPrefix(key.Name, section+"."), value)
}

// withIn is a text in which a key of a section has a value.
func withIn(text, section, short string, value any) string {
	all := tomlfile.Statements(text)
	for _, s := range all {
		if s.Name == section+"."+short && !s.Header {
			return text[:s.Value] + literal(value) + text[s.ValueEnd:]
		}
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	at, line := insertionPoint(text, all, section, short)
	if at < 0 {
		// A blank line goes before a section that is not the first.
		at, line = len(text), "["+section+"]"+end+short
		if strings.TrimSpace(text) != "" {
			line = end + line
		}
	}
	line += " = " + literal(value) + end
	if at > 0 && text[at-1] != '\n' {
		line = end + line
	}
	return text[:at] + line + text[at:]
}

// insertionPoint is where a key of a section goes, and how it is written there: behind
// the comment that shows it, or else behind the section's last key. The place is
// -1 where the text has no such section.
func insertionPoint(text string, all []tomlfile.Statement, section, short string) (at int, name string) {
	at = -1
	// Below the section's header, as far as the next.
	from, to := 0, 0
	for _, s := range all {
		switch {
		case s.Header && s.Name == section:
			at, name, from, to = s.To, short, s.To, len(text)
		case s.Header && from > 0 && to == len(text):
			to = s.From
		case !s.Header && from > 0 && s.Table == section:
			at = s.To
		case !s.Header && s.Table == "" && strings.HasPrefix(s.Name, section+"."):
			at, name = s.To, section+"."+short
		}
	}
	if from == 0 {
		return at, name
	}
	comment := regexp.MustCompile(`(?m)^#[ \t]*` + short + `[ \t]*=.*$\n?`)
	if shown := comment.FindStringIndex(text[from:to]); shown != nil {
		at = from + shown[1]
	}
	return at, name
}

// without is a text that does not say a key.
func without(text, name string) string {
	for _, s := range tomlfile.Statements(text) {
		if s.Name == name && !s.Header {
			return text[:s.From] + text[s.To:]
		}
	}
	return text
}

// template is a first settings file: every key with its default, as a comment.
func template() string {
	var b strings.Builder
	b.WriteString("# Settings of Cupola. A line without its # changes the default that it shows.\n")
	section := ""
	for _, key := range Keys() {
		if key.Type == table {
			fmt.Fprintf(&b, "\n# %s.\n# [%s.\"NAME\"] has %s.\n", key.Doc, key.Name, strings.Join(key.Entry, ", "))
			continue
		}
		if key.Section() != section {
			section = key.Section()
			fmt.Fprintf(&b, "\n[%s]\n", section)
		}
		fmt.Fprintf(&b, "# %s", key.Doc)
		if len(key.Enum) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(key.Enum, ", "))
		}
		fmt.Fprintf(&b, ".\n# %s = %s\n", strings.TrimPrefix(key.Name, section+"."),
			literal(defaults().field(key).Interface()))
	}
	return b.String()
}
