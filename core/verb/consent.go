package verb

import (
	"strings"

	"cupola/core"
	"cupola/core/verb/registry"
)

// Permission is the consent that a verb needs for what cannot be taken back.
type Permission struct {
	Verb string
	// in is the verb's input, given what it says of consent.
	In    any
	Given bool
	// shows is the text before the question.
	Shows string
}

// Ask asks a person, and wants a flag from a program.
func (p Permission) Ask(caller *registry.Caller, question string) error {
	if p.Given {
		return nil
	}
	if caller.Confirm != nil {
		yes, err := caller.Confirm(p.Shows + question)
		if err == nil && !yes {
			err = &core.Error{Code: core.Cancelled, Message: "nothing was done", Hint: "Answer yes, or give --yes."}
		}
		return err
	}
	what := strings.TrimSuffix(question, "?")
	verb := caller.Catalog.Find(p.Verb)
	e := &core.Error{
		Code: core.MissingRequired, Message: p.Verb + " needs --yes to " + strings.ToLower(what[:1]) + what[1:],
		Hint: "Add --yes to do it.", Actions: []string{verb.Command(registry.With(verb, p.In, "yes"))},
		Details: map[string]any{"missing": []string{"--yes"}},
	}
	if look := registry.With(verb, p.In, "dry-run"); look != nil {
		e.Hint = "Add --yes to do it, or --dry-run to see what it would do."
		e.Safer = verb.Command(look)
		e.Actions = append([]string{e.Safer}, e.Actions...)
	}
	return e
}
