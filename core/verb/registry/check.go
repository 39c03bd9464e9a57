package registry

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/near"
)

// Check validates a whole input from any source, as far as that takes no more than
// the input itself. Call does it too.
func (v *Verb) Check(in any) error {
	input := reflect.ValueOf(in)
	for _, field := range v.Fields() {
		value := input.FieldByIndex(field.index)
		if value.IsZero() {
			continue
		}
		if err := checkField(field, value); err != nil {
			return err
		}
	}
	if missing := lacking(v, input); len(missing) > 0 {
		return v.missing(missing)
	}
	return v.fits(in)
}

// lacking are the required fields of an input that were not given.
func lacking(v *Verb, input reflect.Value) []*Field {
	return slices.DeleteFunc(slices.Clone(v.Fields()), func(f *Field) bool {
		return !f.Required || !input.FieldByIndex(f.index).IsZero()
	})
}

func (v *Verb) missing(fields []*Field) error {
	var what, actions []string
	for _, field := range fields {
		what = append(what, field.placeholder())
		if field.Lister != "" {
			actions = append(actions, "cupola "+field.Lister)
		}
	}
	err := Missing(v.Name+" needs "+strings.Join(what, " and "), "Usage: "+v.Usage(), what...)
	err.Actions = actions
	if examples := v.Examples(); len(examples) > 0 {
		err.Hint += "; for example: " + examples[0]
	}
	return err
}

// Missing is the error of flags or arguments that were not given, named as usage shows them.
func Missing(message, hint string, names ...string) *core.Error {
	return &core.Error{
		Code: core.MissingRequired, Message: message, Hint: hint, Details: map[string]any{"missing": names},
	}
}

// OfExisting reports whether a verb's session is one that is there, so that names
// can be offered.
func OfExisting(v *Verb) bool { return slices.Contains(v.Errors, core.SessionNotFound) }

// offered adds the sessions that exist to the error of a session that is missing.
func offered(ctx context.Context, v *Verb, env Env, err error) error {
	details, _ := core.AsError(err).Details.(map[string]any)
	missing, _ := details["missing"].([]string)
	if slices.Contains(missing, "SESSION") && OfExisting(v) {
		if names := env.Sessions(ctx); names != nil {
			details["sessions"] = names
		}
	}
	return err
}

func checkField(field *Field, value reflect.Value) error {
	if len(field.Enum) > 0 && !field.Open {
		for _, text := range texts(value) {
			if !slices.Contains(field.Enum, text) {
				return badEnum(field, text)
			}
		}
	}
	if since, is := value.Interface().(Since); is && (field.Since == sinceTime && since.IsRevision() ||
		field.Since == sinceRevision && !since.IsRevision()) {
		return badValue(field, since.String(), sinceWant[field.Since])
	}
	if field.Type == "string" || field.Type == "list" && value.Len() > 0 {
		return givesSomething(field, texts(value)...)
	}
	if value.Kind() != reflect.Int {
		return nil
	}
	n := int(value.Int())
	if field.Min != nil && n < *field.Min {
		return badValue(field, fmt.Sprint(n), fmt.Sprintf("at least %d", *field.Min))
	}
	if field.Max != nil && n > *field.Max {
		return badValue(field, fmt.Sprint(n), fmt.Sprintf("at most %d", *field.Max))
	}
	return nil
}

func texts(value reflect.Value) []string {
	if value.Kind() == reflect.Slice {
		return listOf(value)
	}
	return []string{fmt.Sprint(value.Interface())}
}

func badEnum(field *Field, text string) error {
	err := &core.Error{
		Code:        core.InvalidInput,
		Message:     fmt.Sprintf("%s: %q is not one of %s", field.shown(), text, strings.Join(field.Enum, ", ")),
		Suggestions: near.Words(text, field.Enum),
		Slip:        core.Slip{Word: text},
		Details:     map[string]any{"flag": field.shown(), "valid": field.Enum, "parse_code": InvalidValue},
	}
	prefix := ""
	if field.Flag() {
		err.Slip.Input = field.Name
		prefix = "--" + field.Name + "="
	}
	if len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + prefix + err.Suggestions[0] + "?"
	} else {
		err.Hint = "Use one of: " + strings.Join(field.Enum, ", ")
	}
	return err
}

// CheckEnum checks values whose valid list is known only at run time, and fails
// as a wrong enum value does. The first argument is named in upper case, a flag by its name.
func CheckEnum(name string, values, valid []string) error {
	field := &Field{Name: strings.ToLower(name), Enum: valid}
	if name == strings.ToUpper(name) {
		field.Arg = 1
	}
	for _, value := range values {
		if !slices.Contains(valid, value) {
			return badEnum(field, value)
		}
	}
	return nil
}

// Conflict is the error of two flags, or a flag and an argument, that cannot both be
// obeyed. Why is the hint where it must be said.
func Conflict(one, other string, why ...string) error {
	hint := strings.Join(append(why, "Give one of them."), " ")
	return &core.Error{
		Code: core.InvalidFlag, Message: one + " and " + other + " contradict each other", Hint: hint,
		Details: map[string]any{"flags": []string{one, other}, "parse_code": ArgumentConflict},
	}
}

// addressing adds that a name may be that of two sessions to the codes of a verb that takes one.
func addressing(codes []core.Code) []core.Code {
	if !slices.Contains(codes, core.SessionNotFound) || slices.Contains(codes, core.Ambiguous) {
		return codes
	}
	return append(slices.Clone(codes), core.Ambiguous)
}

// The finer names that details.parse_code of a usage error carries.
const (
	// InvalidValue is a value that its flag or argument does not take.
	InvalidValue = "INVALID_VALUE"
	// ArgumentConflict is flags that cannot all be obeyed.
	ArgumentConflict = "ARGUMENT_CONFLICT"
	// ParseError is an argument that cannot be read at all.
	ParseError = "PARSE_ERROR"
)
