package bridge

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// placeholder finds {name}, {name:form} and {?name} in a word of a template.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{(\??)([a-z][a-z0-9-]*)(?::([a-z]+))?\}`)
})

// Fill returns the arguments that a template makes of values. A template is groups of
// words; a group that names a modifier without a value is omitted. Each word becomes
// exactly one argument: {name} is the modifier's value, {name:date} the date of a time,
// {name:items} makes a word of each item of a list, and {?name} is nothing but needs the
// switch to be on. A value that begins with a dash is refused where the tool could take it
// for a flag.
func Fill(template [][]string, values Values) ([]string, error) {
	argv := []string{}
	plain := false // behind "--", nothing is a flag
	for _, group := range template {
		if !complete(group, values) {
			continue
		}
		for _, word := range group {
			made, err := fillWord(word, values, plain)
			if err != nil {
				return nil, err
			}
			if strings.ContainsRune(strings.Join(made, ""), 0) {
				return nil, core.Errorf(core.InvalidInput, "%q would be given a NUL", word)
			}
			argv = append(argv, made...)
			plain = plain || word == "--"
		}
	}
	return argv, nil
}

// complete reports whether every modifier of a group was given.
func complete(group []string, values Values) bool {
	for _, word := range group {
		for _, match := range placeholder().FindAllStringSubmatch(word, -1) {
			value, given := values[match[2]]
			if on, isSwitch := value.(bool); !given || isSwitch && !on {
				return false
			}
		}
	}
	return true
}

// fillWord makes the arguments of one word: one, none for a mere condition, or
// one for each item of a list.
func fillWord(word string, values Values, plain bool) ([]string, error) {
	var failed error
	items, many := []string(nil), false
	made := placeholder().ReplaceAllStringFunc(word, func(found string) string {
		match := placeholder().FindStringSubmatch(found)
		if match[1] != "" {
			return ""
		}
		if match[3] == "items" {
			items, many = values[match[2]].([]string)
			return ""
		}
		text := written(values[match[2]], match[3])
		if err := harmless(match[2], text, plain || !strings.HasPrefix(word, found)); err != nil && failed == nil {
			failed = err
		}
		return text
	})
	switch {
	case failed != nil:
		return nil, failed
	case many:
		for _, item := range items {
			if err := harmless(word, item, plain); err != nil {
				return nil, err
			}
		}
		return items, nil
	case made == "" && strings.HasPrefix(word, "{?"):
		return nil, nil
	}
	return []string{made}, nil
}

// harmless refuses a value that a tool could take for a flag, unless it is safe
// from that.
func harmless(name, text string, safe bool) error {
	if safe || !strings.HasPrefix(text, "-") {
		return nil
	}
	return &core.Error{
		Code:    core.InvalidInput,
		Message: fmt.Sprintf("--%s: %q begins with a dash, which the tool would take for a flag", name, text),
		Hint:    "Begin the value with another character.",
	}
}

// written is a value as a tool reads it.
func written(value any, form string) string {
	switch value := value.(type) {
	case string:
		return value
	case int:
		return strconv.Itoa(value)
	case []string:
		return strings.Join(value, ",")
	case time.Time:
		if form == "date" {
			return value.UTC().Format(time.DateOnly)
		}
		return value.UTC().Format(time.RFC3339)
	}
	return fmt.Sprint(value)
}
