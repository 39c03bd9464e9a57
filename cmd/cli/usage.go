package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/near"
	"cupola/core/shell"
	"cupola/robot/registry"
)

// flagError turns an error of pflag into one with the near miss.
func flagError(catalog *registry.Catalog, verb *registry.Verb, err error) error {
	var unknown *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var badValue *pflag.InvalidValueError
	var own *core.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &unknown):
		letters, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		if verb != nil && len(letters) > 1 && (verb.Field(letters) != nil || registry.GlobalField(letters) != nil) {
			return oneDashError(letters)
		}
		return unknownFlagError(catalog, verb, unknown.GetSpecifiedName(), letters != "")
	case errors.As(err, &noValue):
		return &core.Error{Code: core.TooFewValues, Message: "--" + noValue.GetFlag().Name + " needs a value", Err: err}
	case errors.As(err, &badValue):
		return valueError(err, registry.InvalidValue)
	}
	return valueError(err, registry.ParseError)
}

func valueError(err error, parseCode string) error {
	return &core.Error{
		Code: core.InvalidInput, Message: err.Error(), Details: map[string]any{"parse_code": parseCode},
		Err: err,
	}
}

// oneDashError returns the error of a flag that lacks a dash.
func oneDashError(name string) error {
	return &core.Error{
		Code: core.UnknownFlag, Message: "unknown flag -" + name, Hint: "Did you mean --" + name + "?",
		Suggestions: []string{"--" + name}, Slip: core.Slip{Word: "-" + name},
		Details: map[string]any{"flag": "-" + name},
	}
}

// noVerbError returns the error of a verb's flag without a verb.
func noVerbError(flag string, takers []string) error {
	return &core.Error{
		Code: core.MissingCommand, Message: flag + " goes with a verb, and none is named",
		Hint:    "Name one that takes it, such as " + takers[0] + ".",
		Details: map[string]any{"flag": flag, "taken_by": takers},
	}
}

// unknownFlagError returns the error of a flag of other verbs, or of one that does not
// exist. Letter is true for a flag with one dash.
func unknownFlagError(catalog *registry.Catalog, verb *registry.Verb, name string, letter bool) error {
	var takes []string
	if verb != nil {
		takes = verb.Flags()
	}
	shown := "--" + name
	if letter {
		shown = "-" + name
	}
	suggestions := prefixed(registry.FlagsMeantBy(verb, name))
	others := catalog.TakenBy(name)
	if verb == nil && len(others) > 0 {
		return noVerbError(shown, others)
	}
	if len(others) > 0 {
		if len(suggestions) == 0 {
			suggestions = prefixed(near.Words(name, bare(takes)))
		}
		details := map[string]any{"flag": shown, "takes": takes}
		if len(suggestions) == 0 {
			details["taken_by"] = others
		}
		return &core.Error{
			Code: core.InvalidFlag, Message: fmt.Sprintf("%s does not take %s", verb.Name, shown),
			Hint: takesHint(verb, takes), Suggestions: suggestions, Slip: core.Slip{Word: shown}, Details: details,
		}
	}
	known := bare(takes)
	for _, field := range registry.GlobalFields() {
		known = append(known, field.Name)
	}
	if verb == nil {
		known = append(known, "help", "version")
		for _, v := range catalog.Names() {
			known = append(known, "robot-"+v)
		}
	}
	if len(suggestions) == 0 {
		suggestions = prefixed(near.Words(name, known))
	}
	err := &core.Error{
		Code: core.UnknownFlag, Message: "unknown flag " + shown, Suggestions: suggestions,
		Slip: core.Slip{Word: shown}, Details: map[string]any{"flag": shown},
	}
	switch {
	case len(err.Suggestions) > 0:
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	case verb != nil && !letter && catalog.Find(name) != nil:
		err.Hint, err.Actions = name+" is a verb of its own: cupola "+name, []string{"cupola capabilities " + name}
	case verb != nil:
		err.Hint = takesHint(verb, takes)
	}
	return err
}

func takesHint(verb *registry.Verb, takes []string) string {
	if len(takes) == 0 {
		return verb.Name + " takes the global flags only."
	}
	return verb.Name + " takes " + strings.Join(takes, ", ") + "."
}

func bare(flags []string) []string {
	names := make([]string, len(flags))
	for i, flag := range flags {
		names[i] = strings.TrimPrefix(flag, "--")
	}
	return names
}

func prefixed(names []string) []string {
	for i := range names {
		names[i] = "--" + names[i]
	}
	return names
}

// unknownCommandError returns the error for a word that is no verb. Rest are the words
// behind it.
func unknownCommandError(catalog *registry.Catalog, word string, rest []string) error {
	err := &core.Error{
		Code: core.UnknownCommand, Message: fmt.Sprintf("unknown command %q", word),
		Suggestions: catalog.Meant(word, others...), Slip: core.Slip{Word: word},
	}
	switch {
	case slices.Contains([]string{"accept", "allow", "approve"}, word):
		err.Slip.Add = "approve"
	case slices.Contains([]string{"deny", "reject"}, word):
		err.Slip.Add = "deny"
	}
	seconds := catalog.Begun(word)
	if len(catalog.Synonyms(word)) > 0 &&
		!slices.ContainsFunc(catalog.Names(), func(name string) bool { return strings.HasPrefix(name, word+"-") }) {
		seconds = nil
	}
	switch {
	case len(seconds) > 0 && len(rest) > 0 && !strings.HasPrefix(rest[0], "-"):
		if nearest := catalog.MeantBehind(word, rest[0]); len(nearest) > 0 {
			err.Slip.Word = word + " " + rest[0]
			err.Message, err.Suggestions = fmt.Sprintf("unknown command %q", err.Slip.Word), namesOf(seconds, nearest)
		} else if len(catalog.Synonyms(word)) == 0 {
			err.Slip.Word = word + " " + rest[0]
			err.Message, err.Suggestions = fmt.Sprintf("unknown command %q", err.Slip.Word), begunBy(catalog, seconds)
		}
	case len(seconds) > 0:
		err.Code, err.Message = core.MissingCommand,
			word+" needs one more word: "+orList(slices.Sorted(maps.Keys(seconds)))
		err.Suggestions = begunBy(catalog, seconds)
	}
	if meant := orList(err.Suggestions); meant != "" {
		if err.Slip.Add != "" {
			meant += " --" + err.Slip.Add
		}
		err.Hint = "Did you mean " + meant + "?"
	}
	return err
}

// afterDashesError returns the error of a command line whose verb is behind a "--".
func afterDashesError(rest []string) error {
	line := shell.Line(append([]string{"cupola"}, rest...)...)
	return &core.Error{
		Code: core.MissingCommand, Message: "there is no command before --",
		Hint: "-- ends the flags: what is behind it is taken as it is, as a prompt that begins with a dash. " +
			"Without it: " + line,
		Actions: []string{line},
	}
}

// orList joins words as a sentence does: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// begunBy returns the names of verbs in the order of the catalog.
func begunBy(catalog *registry.Catalog, seconds map[string]*registry.Verb) []string {
	var names []string
	for _, verb := range catalog.Verbs {
		for _, begun := range seconds {
			if begun == verb {
				names = append(names, verb.Name)
				break
			}
		}
	}
	return names
}

// namesOf returns the names of the verbs that words lead to, without duplicates.
func namesOf(verbs map[string]*registry.Verb, words []string) []string {
	var names []string
	for _, word := range words {
		if verb := verbs[word]; verb != nil && !slices.Contains(names, verb.Name) {
			names = append(names, verb.Name)
		}
	}
	return names
}
