package relay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Opinion is the conclusion of a review.
type Opinion string

// The opinions: the changes are fit to ship, they need another iteration, or the reviewer cannot say.
const (
	Ship    Opinion = "ship"
	Iterate Opinion = "iterate"
	Abstain Opinion = "abstain"
)

// Severity is how much a finding matters.
type Severity string

// The severities. A blocker or an important finding means that the changes need another iteration.
const (
	Blocker   Severity = "blocker"
	Important Severity = "important"
	Nit       Severity = "nit"
)

var severities = []Severity{Blocker, Important, Nit}

// Finding is one thing that a reviewer found.
type Finding struct {
	_         struct{} `minimal:"severity,title,location"`
	Severity  Severity `json:"severity"`
	Title     string   `json:"title"`
	Rationale string   `json:"rationale"`
	// Location is "file:line" or "file"; empty where the finding has none.
	Location string `json:"location,omitempty"`
}

// Verdict is a review in a form that programs read.
type Verdict struct {
	Verdict Opinion `json:"verdict"`
	// Conclusion is the reviewer's own summary.
	Conclusion string    `json:"conclusion"`
	Findings   []Finding `json:"findings"`
}

// VerdictDemand is the addition to a prompt that demands a verdict as its answer.
const VerdictDemand = `Answer with one line of JSON of this form, and nothing else:
{"schema_version":1,"verdict":"ship|iterate|abstain","summary":"...","findings":[{"severity":"blocker|important|nit",` +
	`"title":"...","rationale":"...","location":"file:line or null"}]}
"iterate" if any finding is a blocker or important; "ship" if there are only nits or no findings; "abstain", without ` +
	`findings, if you cannot judge.`

// ReadVerdict reads a verdict from an answer, and returns why it is none: it fails closed if the
// JSON is incomplete or contradicts itself.
func ReadVerdict(answer string) (*Verdict, error) {
	text := []byte(unfenced(answer))
	wrapped := struct {
		Output json.RawMessage `json:"structured_output"`
	}{}
	if json.Unmarshal(text, &wrapped) == nil && len(wrapped.Output) > 0 {
		text = wrapped.Output
	}
	read := struct {
		SchemaVersion int     `json:"schema_version"`
		Verdict       Opinion `json:"verdict"`
		Summary       string  `json:"summary"`
		Findings      *[]Finding
	}{}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("it is no JSON of that form: %w", err)
	}
	switch {
	case read.SchemaVersion != 1:
		return nil, fmt.Errorf("its schema_version is %d, not 1", read.SchemaVersion)
	case strings.TrimSpace(read.Summary) == "":
		return nil, fmt.Errorf("it has no summary")
	case read.Findings == nil:
		return nil, fmt.Errorf("it has no list of findings")
	}
	v := &Verdict{Verdict: read.Verdict, Conclusion: read.Summary, Findings: *read.Findings}
	if err := v.consistent(); err != nil {
		return nil, err
	}
	return v, nil
}

// consistent returns what contradicts itself in a verdict.
func (v *Verdict) consistent() error {
	serious := 0
	for i := range v.Findings {
		f := &v.Findings[i]
		switch {
		case !slices.Contains(severities, f.Severity):
			return fmt.Errorf("finding %d has the severity %q", i+1, f.Severity)
		case strings.TrimSpace(f.Title) == "" || strings.TrimSpace(f.Rationale) == "":
			return fmt.Errorf("finding %d has no title or no rationale", i+1)
		case f.Severity != Nit:
			serious++
		}
	}
	switch v.Verdict {
	case Iterate:
		if serious == 0 {
			return fmt.Errorf("it says iterate, and no finding is a blocker or important")
		}
	case Ship:
		if serious > 0 {
			return fmt.Errorf("it says ship, with %d findings that are blockers or important", serious)
		}
	case Abstain:
		if len(v.Findings) > 0 {
			return fmt.Errorf("it abstains, with %d findings", len(v.Findings))
		}
	default:
		return fmt.Errorf("its verdict is %q, none of ship, iterate, abstain", v.Verdict)
	}
	return nil
}

// Opinions are the verdicts of several reviewers on the same changes, with what they found at the
// same place put side by side. Nothing is averaged: one iterate makes the whole iterate.
type Opinions struct {
	Verdict Opinion `json:"verdict"`
	// Split is true if one would ship what another would not.
	Split  bool    `json:"split"`
	Places []Place `json:"places"`
}

// Place is where one or more reviewers found something.
type Place struct {
	// Location is the location of the most severe finding; empty for findings without one.
	Location string `json:"location,omitempty"`
	// Severity is the most severe.
	Severity Severity `json:"severity"`
	// RaisedBy are the reviewers that found something here, Objects those that would ship all the
	// same, and Silent those that found something, but not here.
	RaisedBy []string       `json:"raised_by"`
	Objects  []string       `json:"objects"`
	Silent   []string       `json:"silent"`
	Findings []PanelFinding `json:"findings"`
	file     string
	line     int
}

// PanelFinding is a finding with its reviewer.
type PanelFinding struct {
	Backend string `json:"backend"`
	Finding
}

// near is how many lines apart two findings are at most that are about the same place.
const nearLines = 3

// Merge puts the verdicts of several reviewers side by side, in the order of the names.
func Merge(names []string, verdicts []*Verdict) *Opinions {
	all := &Opinions{Verdict: Abstain, Places: []Place{}}
	said := map[Opinion]bool{}
	for i, v := range verdicts {
		if v == nil {
			continue
		}
		said[v.Verdict] = true
		for _, f := range v.Findings {
			place := all.place(&f)
			place.Findings = append(place.Findings, PanelFinding{names[i], f})
			if rank(f.Severity) < rank(place.Severity) {
				place.Severity, place.Location = f.Severity, f.Location
			}
			if !slices.Contains(place.RaisedBy, names[i]) {
				place.RaisedBy = append(place.RaisedBy, names[i])
			}
		}
	}
	switch {
	case said[Iterate]:
		all.Verdict = Iterate
	case said[Ship]:
		all.Verdict = Ship
	}
	all.Split = said[Iterate] && said[Ship]
	for i := range all.Places {
		all.Places[i].others(names, verdicts)
	}
	slices.SortStableFunc(all.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), -cmp.Compare(len(a.RaisedBy), len(b.RaisedBy)))
	})
	return all
}

func rank(s Severity) int { return slices.Index(severities, s) }

// place returns the place of a finding, which is made if it is a new one. Findings without a
// location are about the same only if their titles are.
func (o *Opinions) place(f *Finding) *Place {
	file, line := located(f.Location)
	for i := range o.Places {
		p := &o.Places[i]
		same := p.file == file && max(p.line-line, line-p.line) <= nearLines
		if file == "" {
			same = p.file == "" && strings.EqualFold(p.Findings[0].Title, f.Title)
		}
		if same {
			return p
		}
	}
	o.Places = append(o.Places, Place{
		Location: f.Location, Severity: f.Severity, RaisedBy: []string{}, Objects: []string{}, Silent: []string{},
		Findings: []PanelFinding{}, file: file, line: line,
	})
	return &o.Places[len(o.Places)-1]
}

var lineForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?):(\d+)(?:[:-].*)?$`) })

// located splits "file:line", "file:line:column" and "file:line-line".
func located(location string) (file string, line int) {
	location = strings.TrimPrefix(strings.TrimSpace(location), "./")
	if parts := lineForm().FindStringSubmatch(location); parts != nil {
		line, _ = strconv.Atoi(parts[2]) // the pattern has digits only; too many are line 0
		return parts[1], line
	}
	return location, 0
}

// others notes who did not raise what is found here.
func (p *Place) others(names []string, verdicts []*Verdict) {
	for i, v := range verdicts {
		switch {
		case v == nil || slices.Contains(p.RaisedBy, names[i]):
		case v.Verdict == Ship && p.Severity != Nit:
			p.Objects = append(p.Objects, names[i])
		case v.Verdict != Abstain:
			p.Silent = append(p.Silent, names[i])
		}
	}
}
