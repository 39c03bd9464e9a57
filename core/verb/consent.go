package verb

import (
	"strings"

	"cupola/core"
	"cupola/core/text/report"
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

// Removed is the answer of verbs that remove records.
type Removed struct {
	// IDs name the removed records; with --dry-run the records that would be removed.
	IDs    []string `json:"removed_ids"`
	DryRun bool     `json:"dry_run"`
}

// Remove removes records one after the other, once the caller allows it; dry leaves them. After an error it returns
// those that are gone.
func Remove(
	caller *registry.Caller, may Permission, dry bool, ids []string, question string, remove func(id string) error,
) (Removed, error) {
	out := Removed{IDs: ids, DryRun: dry}
	if dry || len(ids) == 0 {
		return out, nil
	}
	if err := may.Ask(caller, question); err != nil {
		return Removed{IDs: []string{}}, err
	}
	for i, id := range ids {
		if err := remove(id); err != nil {
			out.IDs = ids[:i]
			return out, err
		}
	}
	return out, nil
}

// Report shows a person what was removed.
func (o Removed) Report() *report.Report {
	act := map[bool]string{true: "would remove ", false: "removed "}[o.DryRun]
	r := &report.Report{}
	for _, id := range o.IDs {
		r.AddLine(report.Text(act), report.Toned(report.Strong, id))
	}
	if len(o.IDs) == 0 {
		r.AddLine(report.Text("There is nothing to remove."))
	}
	return r
}
