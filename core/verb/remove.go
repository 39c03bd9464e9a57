package verb

import (
	"cupola/core/text/report"
	"cupola/core/verb/registry"
)

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
