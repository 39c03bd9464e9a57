package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// group are the commands whose forms begin with some words, as "crew run" does with crew.
type group struct {
	// Words are the words that the forms have in common.
	Words    string         `json:"group"`
	Commands []groupCommand `json:"commands"`
}

// groupCommand is one of them, by its form.
type groupCommand struct {
	Form    string `json:"form"`
	Verb    string `json:"verb"`
	Summary string `json:"summary"`

	section string
	own     bool
}

// groupOf returns the commands whose forms begin with words; ok is false if none does. Each is listed once, those that
// are named after the words before those that have another name. Aliases are listed if no real verb is.
func groupOf(catalog *registry.Catalog, words []string) (of group, ok bool) {
	of.Words = strings.Join(words, " ")
	completions := suggest.Completions(catalog, words...)
	named := strings.Join(words, "-")
	for _, verb := range catalog.Verbs {
		var forms []string
		for _, end := range slices.Sorted(maps.Keys(completions)) {
			if completions[end] == verb {
				forms = append(forms, of.Words+" "+end)
			}
		}
		if len(forms) == 0 {
			continue
		}
		own := strings.HasPrefix(verb.Name, named+"-")
		if form := strings.Replace(verb.Name, "-", " ", len(words)); own && slices.Contains(forms, form) {
			forms[0] = form
		}
		of.Commands = append(of.Commands, groupCommand{forms[0], verb.Name, verb.Short, verb.Group, own})
	}
	slices.SortStableFunc(of.Commands, func(a, b groupCommand) int {
		if a.own != b.own {
			return cmp.Compare(fmt.Sprint(b.own), fmt.Sprint(a.own))
		}
		return 0
	})
	return of, len(of.Commands) > 0
}

// Text is the group for people: a line for each command, below the name of its part of the program.
func (g group) Text() string {
	wide := 0
	for _, c := range g.Commands {
		wide = max(wide, len(c.Form))
	}
	var text strings.Builder
	section := ""
	for _, c := range g.Commands {
		if c.section != section {
			if section = c.section; text.Len() > 0 {
				text.WriteString("\n")
			}
			text.WriteString(section + ":\n")
		}
		fmt.Fprintf(&text, "  %-*s  %s\n", wide, c.Form, c.Summary)
	}
	fmt.Fprintf(&text, "\n'cupola %s --help' explains one.\n", g.Commands[0].Form)
	return text.String()
}
