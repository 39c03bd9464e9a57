// Package suggest finds what was probably meant by a command line that is wrong: the verb, the
// flag or the value, by its meaning in other programs or by its spelling, and the whole line
// with that in its place. Nothing that it suggests is executed.
package suggest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
	"cupola/core/verb/registry"
)

// meantBy returns what a word of other programs is called here; nil for words that none is
// known to have.
func meantBy(synonyms []synonym, word string) []string {
	at, ok := slices.BinarySearchFunc(synonyms, strings.ToLower(word),
		func(s synonym, word string) int { return strings.Compare(s.word, word) })
	if !ok {
		return nil
	}
	names := strings.Fields(synonyms[at].here)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "--") })
}

// flagMeantBy returns the flag, without its dashes, that a word of other programs means beside its verb; or "".
func flagMeantBy(word string) string {
	for _, s := range verbSynonyms {
		if _, flag, has := strings.Cut(s.here, " --"); has && s.word == strings.ToLower(word) {
			return flag
		}
	}
	return ""
}

// verbs returns the verbs that a word was probably meant for: by what it means in other programs, by the words that it
// is composed of, else by its spelling among the names of verbs, the words of other programs, and more.
func verbs(catalog *registry.Catalog, word string, more ...string) []string {
	if verb := catalog.Find(word); verb != nil {
		return []string{verb.Name}
	}
	if names := meantBy(verbSynonyms[:], word); len(names) > 0 {
		return names
	}
	if names := composed(catalog, word, more); len(names) > 0 {
		return names
	}
	here := slices.Concat(catalog.Names(), more)
	known := slices.Clone(here)
	for _, s := range verbSynonyms {
		known = append(known, s.word)
	}
	for _, verb := range catalog.Verbs {
		known = append(known, verb.Aliases...)
	}
	nearest := near.Words(word, known)
	slices.SortStableFunc(nearest, func(a, b string) int {
		return cmp.Compare(isAlias(catalog, a), isAlias(catalog, b))
	})
	if names := slices.DeleteFunc(slices.Clone(nearest),
		func(name string) bool { return !slices.Contains(here, name) }); len(names) > 0 || len(nearest) == 0 {
		return names
	}
	if verb := catalog.Find(nearest[0]); verb != nil {
		return []string{verb.Name}
	}
	return meantBy(verbSynonyms[:], nearest[0])
}

// isAlias is 1 for the name of an alias, and 0 for any other word.
func isAlias(catalog *registry.Catalog, name string) int {
	if verb := catalog.Find(name); verb != nil && verb.Of != "" {
		return 1
	}
	return 0
}

// things are the subjects of verbs in composed words: they choose no verb by themselves.
var things = []string{"session", "sessions", "agent", "agents", "pane", "panes"}

// composed returns the verbs that a word composed of two was probably meant for: a form of two words in either order
// (list-agents), a verb or a word of other programs with a thing (end-session), or with a word that says nothing
// (get-status).
func composed(catalog *registry.Catalog, word string, more []string) []string {
	one, other, two := strings.Cut(strings.ToLower(strings.ReplaceAll(word, "_", "-")), "-")
	if !two {
		return nil
	}
	for _, form := range [][]string{{one, other}, {other, one}, {strings.TrimSuffix(other, "s"), one}} {
		if verb := catalog.Phrase(form...); verb != nil {
			return []string{verb.Name}
		}
	}
	mean := func(word string) []string {
		if catalog.Knows(word) || slices.Contains(more, word) {
			return []string{word}
		}
		return meantBy(verbSynonyms[:], word)
	}
	switch {
	case slices.Contains(things, other):
		return mean(one)
	case slices.Contains(things, one), slices.Contains([]string{"robot", "get", "show", "run", "do"}, one):
		return mean(other)
	case slices.Contains([]string{"server", "command", "list", "all", "now"}, other):
		return mean(one)
	}
	return nil
}

// secondWords returns the words behind a first that one was probably meant for.
func secondWords(completions map[string]*registry.Verb, word string) []string {
	known := slices.Sorted(maps.Keys(completions))
	meant := slices.DeleteFunc(meantBy(secondSynonyms[:], word),
		func(word string) bool { return !slices.Contains(known, word) })
	if len(meant) > 0 {
		return meant
	}
	return near.Words(word, known)
}

// flagsOf returns the flags that a verb takes for one of other programs, without dashes, some
// with a value; those of no verb are the global ones.
func flagsOf(verb *registry.Verb, word string) []string {
	return slices.DeleteFunc(meantBy(flagSynonyms[:], word), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return registry.GlobalField(name) == nil && (verb == nil || verb.Field(name) == nil)
	})
}

// flagOf returns the flag of a verb, with dashes and its value, that a bare word was meant for:
// a time is its limit, a number its lines, one of a flag's few values that flag, and the name of
// a switch the switch. It is empty if none or several fit.
func flagOf(verb *registry.Verb, word string) string {
	if _, err := strconv.ParseUint(word, 10, 31); err == nil {
		if verb.Field("lines") == nil {
			return ""
		}
		return "--lines=" + word
	}
	if _, err := core.ParseDuration(word); err == nil && verb.Field("timeout") != nil {
		return "--timeout=" + word
	}
	var fit []string
	for _, field := range verb.Fields() {
		if field.Flag() && slices.Contains(field.Enum, word) {
			fit = append(fit, "--"+field.Name+"="+word)
		}
	}
	for _, name := range append(flagsOf(verb, word), word) {
		if field := verb.Field(name); field != nil && field.Flag() && field.Type == "bool" {
			fit = append(fit, "--"+name)
		}
	}
	if len(fit) != 1 {
		return ""
	}
	return fit[0]
}

// Input adds to the error of an input that a verb does not take those that were probably meant.
func Input(verb *registry.Verb, name string, err error) error {
	var names []string
	for _, field := range verb.Fields() {
		if field.Named(name) {
			return err
		}
		names = append(names, field.Name)
	}
	meant := slices.DeleteFunc(flagsOf(verb, name), func(flag string) bool { return !slices.Contains(names, flag) })
	if len(meant) == 0 {
		meant = near.Words(name, names)
	}
	return didYouMean(core.AsError(err), meant...)
}
