package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
)

// values are the values of references.
type values struct {
	session string
	vars    map[string]string
	// steps are the answers of those that are over, by name.
	steps map[string]map[string]any
}

// referencesIn returns the references in an argument of a step, each in its parts, and the faults of others.
func referencesIn(value any) (refs [][]string, wrong []error) {
	_, err := mapText(value, func(text string) (string, error) {
		return replaceRefs(text, func(parts []string) (string, error) {
			if err := checkRef(parts); err != nil {
				wrong = append(wrong, err)
			} else {
				refs = append(refs, parts)
			}
			return "", nil
		})
	})
	if err != nil {
		wrong = append(wrong, err)
	}
	return refs, wrong
}

// mapText changes every text in a value of TOML.
func mapText(value any, change func(string) (string, error)) (any, error) {
	switch value := value.(type) {
	case string:
		return change(value)
	case []any:
		list := make([]any, len(value))
		for i := range value {
			var err error
			if list[i], err = mapText(value[i], change); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return value, nil
}

// replaceRefs puts what answer gives in the place of each ${...}, and ${ for $${.
func replaceRefs(text string, answer func(parts []string) (string, error)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			b.WriteString(text)
			return b.String(), nil
		}
		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(plain + "${")
			text = rest
			continue
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%.40q has no end; write $${ for a plain ${", "${"+rest)
		}
		parts := strings.Split(strings.TrimSpace(inside), ".")
		value, err := answer(parts)
		if err != nil {
			return "", err
		}
		b.WriteString(before + value)
		text = after
	}
}

// checkRef sees that a reference has one of the forms that there are.
func checkRef(parts []string) error {
	ref := "${" + strings.Join(parts, ".") + "}"
	switch {
	case slices.Contains(parts, ""):
		return fmt.Errorf("%s has an empty part", ref)
	case parts[0] == "session" && len(parts) == 1, parts[0] == "vars" && len(parts) == 2,
		parts[0] == "steps" && len(parts) > 2:
		return nil
	}
	return fmt.Errorf("%s means nothing; there are ${session}, ${vars.NAME} and ${steps.NAME.FIELD}", ref)
}

// expand puts values in the place of references. Those to steps stay as they are
// where the steps are not over; whole is then false.
func (v *values) expand(args map[string]any) (expanded map[string]any, whole map[string]bool, err error) {
	expanded, whole = map[string]any{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		open := false
		value, err := mapText(args[name], func(text string) (string, error) {
			return replaceRefs(text, func(parts []string) (string, error) {
				if err := checkRef(parts); err != nil {
					return "", err
				}
				found, known, err := v.lookup(parts)
				open = open || !known
				return found, err
			})
		})
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		expanded[name], whole[name] = value, !open
	}
	return expanded, whole, nil
}

// lookup returns the value of a reference; known is false for steps that have not
// ended.
func (v *values) lookup(parts []string) (text string, known bool, err error) {
	switch parts[0] {
	case "session":
		if v.session == "" {
			none := core.Errorf(core.InvalidInput, "${session} has no value")
			none.Remedies = []core.Remedy{core.RemedyGiveSession}
			return "", true, none
		}
		return v.session, true, nil
	case "vars":
		text, is := v.vars[parts[1]]
		if !is {
			none := unknown(fmt.Sprintf("${vars.%s} has no value", parts[1]), parts[1],
				slices.Collect(maps.Keys(v.vars)))
			if none.Hint == "" {
				none.Remedies, none.Subject.Name = []core.Remedy{core.RemedyGiveVariable}, parts[1]
			}
			return "", true, none
		}
		return text, true, nil
	}
	answer, over := v.steps[parts[1]]
	if !over {
		return "", false, nil
	}
	text, err = dig(answer, parts[2:])
	if err != nil {
		err = fmt.Errorf("${%s}: %w", strings.Join(parts, "."), err)
	}
	return text, true, err
}

// dig follows a path into an answer and writes what is there as text.
func dig(value any, path []string) (string, error) {
	for _, part := range path {
		switch at := value.(type) {
		case map[string]any:
			inner, is := at[part]
			if !is {
				return "", unknown(fmt.Sprintf("the answer has no %q", part), part, slices.Collect(maps.Keys(at)))
			}
			value = inner
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n >= len(at) {
				return "", fmt.Errorf("%q is none of the %d rows there, which count from 0", part, len(at))
			}
			value = at[n]
		default:
			return "", fmt.Errorf("there is nothing in %v", value)
		}
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case nil:
		return "", nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}
