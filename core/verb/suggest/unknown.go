package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
	"cupola/core/verb/registry"
)

// didYouMean adds to an error what was probably meant.
func didYouMean(e *core.Error, words ...string) *core.Error {
	e.Suggestions = words
	if len(words) > 0 {
		e.Hint = "Did you mean " + words[0] + "?"
	}
	return e
}

// Near adds to the error of a word that is none of those known the nearest of them.
func Near(e *core.Error, word string, known []string) *core.Error {
	e.Slip.Word = word
	return didYouMean(e, near.Words(word, known)...)
}

// Verb adds to the error of a word that is no verb those that were probably meant.
func Verb(catalog *registry.Catalog, e *core.Error, word string) *core.Error {
	return didYouMean(e, verbs(catalog, word)...)
}

// Flag returns the error of a flag of other verbs, or of one that does not exist. Letter is true
// for a flag with one dash.
func Flag(catalog *registry.Catalog, verb *registry.Verb, name string, letter bool) *core.Error {
	others := catalog.TakenBy(name)
	if robot, is := strings.CutPrefix(name, "robot-"); is && len(others) == 0 {
		return robotFlag(catalog, robot)
	}
	shown := "--" + name
	if letter {
		shown = "-" + name
	}
	details := map[string]any{"flag": shown}
	err := &core.Error{
		Code: core.UnknownFlag, Message: "unknown flag " + shown, Slip: core.Slip{Word: shown}, Details: details,
	}
	if verb == nil && len(others) > 0 {
		details["taken_by"] = others
		return &core.Error{
			Code: core.MissingCommand, Message: shown + " goes with a verb, and none is named",
			Hint: "Name one that takes it, such as " + others[0] + ".", Details: details,
		}
	}
	meant := meantFlags(catalog, verb, name, len(others) == 0)
	if verb != nil {
		err.Hint = verb.Name + " takes the global flags only."
		if takes := verb.Flags(); len(takes) > 0 {
			err.Hint = verb.Name + " takes " + strings.Join(takes, ", ") + "."
		}
	}
	switch {
	case len(others) > 0:
		err.Code, err.Message = core.InvalidFlag, verb.Name+" does not take "+shown
		err.Suggestions, details["takes"] = meant, verb.Flags()
		if len(meant) == 0 {
			details["taken_by"] = others
		}
	case len(meant) > 0:
		return didYouMean(err, meant...)
	case verb != nil && !letter && catalog.Find(name) != nil:
		err.Hint, err.Actions = name+" is a verb of its own: cupola "+name, []string{"cupola capabilities " + name}
	}
	return err
}

// meantFlags returns the flags of a verb, or of none, that were probably meant by a name. Global is
// true if it may be a global flag.
func meantFlags(catalog *registry.Catalog, verb *registry.Verb, name string, global bool) []string {
	if meant := flagsOf(verb, name); len(meant) > 0 {
		return prefixed("--", meant)
	}
	var known []string
	if verb == nil {
		known = append(prefixed("robot-", catalog.Names()), "help", "version")
	} else {
		known = names(verb.Fields())
	}
	if global {
		known = append(known, names(registry.GlobalFields())...)
	}
	return prefixed("--", near.Words(name, known))
}

// names returns the names of the flags among some inputs.
func names(fields []*registry.Field) []string {
	var names []string
	for _, field := range fields {
		if field.Flag() {
			names = append(names, field.Name)
		}
	}
	return names
}

// OneDash returns the error of a flag that lacks a dash.
func OneDash(name string) *core.Error {
	return didYouMean(&core.Error{
		Code: core.UnknownFlag, Message: "unknown flag -" + name, Slip: core.Slip{Word: "-" + name},
		Details: map[string]any{"flag": "-" + name},
	}, "--"+name)
}

// robotFlag returns the error of a flag --robot-NAME that names no verb.
func robotFlag(catalog *registry.Catalog, name string) *core.Error {
	flag := "--robot-" + name
	err := didYouMean(&core.Error{Code: core.UnknownFlag, Message: "unknown flag " + flag, Slip: core.Slip{Word: flag}},
		prefixed("--robot-", verbs(catalog, name))...)
	if len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + OrList(err.Suggestions) + "?"
	}
	return err
}

func prefixed(prefix string, names []string) []string {
	return core.Map(names, func(name string) string { return prefix + name })
}

// Command returns the error of a first word that is no verb, with the words behind it, or of a flag
// --robot-NAME that names none. Others are commands that are no verbs.
func Command(catalog *registry.Catalog, words, others []string) *core.Error {
	word := words[0]
	if name, is := strings.CutPrefix(word, "--robot-"); is {
		return robotFlag(catalog, name)
	}
	err := &core.Error{
		Code: core.UnknownCommand, Message: fmt.Sprintf("unknown command %q", word),
		Suggestions: verbs(catalog, word, others...), Slip: core.Slip{Word: word, Add: flagMeantBy(word)},
	}
	foreign := len(meantBy(verbSynonyms[:], word)) > 0
	completions := Completions(catalog, word)
	switch {
	case len(completions) > 0 && len(words) > 1:
		unknownForm(catalog, err, words, foreign)
	case len(completions) > 0:
		needsWord(catalog, err, completions, word)
	}
	if meant := OrList(err.Suggestions); meant != "" {
		if err.Slip.Add != "" {
			meant += " --" + err.Slip.Add
		}
		err.Hint = "Did you mean " + meant + "? 'cupola docs' lists what there is."
	}
	return err
}

// Completions returns Listed of Catalog.Completions, but nothing for a word of other programs that is the start of no
// verb's name.
func Completions(catalog *registry.Catalog, words ...string) map[string]*registry.Verb {
	if len(meantBy(verbSynonyms[:], words[0])) > 0 && !slices.ContainsFunc(catalog.Names(),
		func(name string) bool { return strings.HasPrefix(name, words[0]+"-") }) {
		return nil
	}
	return registry.Listed(catalog.Completions(words...))
}

// unknownForm adds to the error of words that name no verb, although the first begins the forms of some, which of them
// were meant. Foreign is true if the first word means something in other programs.
func unknownForm(catalog *registry.Catalog, err *core.Error, words []string, foreign bool) {
	completions := catalog.Completions(words[0])
	for n := min(len(words), registry.MostWords); n > 1; n-- {
		if further := catalog.Completions(words[:n]...); len(further) > 0 {
			err.Slip.Word = strings.Join(words[:n], " ")
			needsWord(catalog, err, registry.Listed(further), err.Slip.Word)
			return
		}
		behind := map[string]*registry.Verb{}
		for form, verb := range completions {
			if strings.Count(form, " ") == n-2 {
				behind[form] = verb
			}
		}
		if nearest := namesOf(behind, secondWords(behind, strings.Join(words[1:n], " "))); len(nearest) > 0 {
			err.Slip.Word, err.Suggestions = strings.Join(words[:n], " "), nearest
			err.Message = fmt.Sprintf("unknown command %q", err.Slip.Word)
			return
		}
	}
	if !foreign {
		err.Slip.Word, err.Suggestions = words[0]+" "+words[1], completedBy(catalog, registry.Listed(completions))
		err.Message = fmt.Sprintf("unknown command %q", err.Slip.Word)
	}
}

// needsWord makes an error that of words which begin forms of verbs, and lack the end of one.
func needsWord(catalog *registry.Catalog, err *core.Error, completions map[string]*registry.Verb, words string) {
	var next []string
	for _, form := range slices.Sorted(maps.Keys(completions)) {
		if word, _, _ := strings.Cut(form, " "); !slices.Contains(next, word) {
			next = append(next, word)
		}
	}
	err.Code, err.Message = core.MissingCommand, words+" needs one more word: "+OrList(next)
	err.Suggestions = completedBy(catalog, completions)
}

// AfterDashes returns the error of a command line whose verb is behind a "--".
func AfterDashes(rest []string) *core.Error {
	return &core.Error{
		Code: core.MissingCommand, Message: "there is no command before --",
		Hint: "-- ends the flags: what is behind it is taken as it is, as a prompt that begins with a dash. " +
			"Without it: " + command(rest),
		Actions: []string{command(rest)},
	}
}

// Help returns the error of words without a help page; topics are pages about no verb.
func Help(catalog *registry.Catalog, words, topics []string) *core.Error {
	word := strings.Join(words, " ")
	meant := completedBy(catalog, registry.Listed(catalog.Completions(words...)))
	if len(meant) == 0 {
		meant = verbs(catalog, word, topics...)
	}
	err := &core.Error{
		Code: core.UnknownCommand, Message: fmt.Sprintf("no help about %q", word),
		Hint: "See 'cupola help' for what there is.", Actions: prefixed("cupola help ", meant),
	}
	return didYouMean(err, meant...)
}

// OrList joins words as a sentence does: a, b or c.
func OrList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// completedBy returns the names of verbs in the order of the catalog.
func completedBy(catalog *registry.Catalog, seconds map[string]*registry.Verb) []string {
	var names []string
	completions := slices.Collect(maps.Values(seconds))
	for _, verb := range catalog.Verbs {
		if slices.Contains(completions, verb) {
			names = append(names, verb.Name)
		}
	}
	return names
}

// namesOf returns the names of the verbs that words lead to, without duplicates.
func namesOf(verbs map[string]*registry.Verb, words []string) []string {
	var names []string
	for _, word := range words {
		if verb := verbs[word]; !slices.Contains(names, verb.Name) {
			names = append(names, verb.Name)
		}
	}
	return names
}
