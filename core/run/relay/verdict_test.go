package relay

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	blocker = `{"severity":"blocker","title":"Loses data","rationale":"No lock.","location":"db.go:12"}`
	nit     = `{"severity":"nit","title":"Name","rationale":"Vague.","location":null}`
)

func verdictOf(verdict, findings string) string {
	return `{"schema_version":1,"verdict":"` + verdict + `","summary":"So it is.","findings":[` + findings + `]}`
}

func TestAVerdictThatContradictsItselfIsNone(t *testing.T) {
	for name, test := range map[string]struct{ answer, says string }{
		"ship":                    {verdictOf("ship", nit), ""},
		"ship without findings":   {verdictOf("ship", ""), ""},
		"iterate":                 {verdictOf("iterate", blocker+","+nit), ""},
		"abstain":                 {verdictOf("abstain", ""), ""},
		"in a fence":              {"```json\n" + verdictOf("ship", "") + "\n```\n", ""},
		"wrapped":                 {`{"structured_output":` + verdictOf("ship", "") + `}`, ""},
		"ship with a blocker":     {verdictOf("ship", blocker), "it says ship, with 1 findings"},
		"iterate with a nit":      {verdictOf("iterate", nit), "it says iterate, and no finding"},
		"abstain with a finding":  {verdictOf("abstain", nit), "it abstains, with 1 findings"},
		"another verdict":         {verdictOf("maybe", ""), `its verdict is "maybe"`},
		"another severity":        {verdictOf("ship", strings.Replace(nit, "nit", "minor", 1)), `the severity "minor"`},
		"no rationale":            {verdictOf("ship", strings.Replace(nit, "Vague.", " ", 1)), "no rationale"},
		"no summary":              {strings.Replace(verdictOf("ship", ""), "So it is.", "", 1), "no summary"},
		"another version":         {strings.Replace(verdictOf("ship", ""), ":1,", ":2,", 1), "schema_version is 2"},
		"no findings":             {`{"schema_version":1,"verdict":"ship","summary":"x"}`, "no list of findings"},
		"prose":                   {"I would ship it.", "no JSON"},
		"prose around the answer": {"Here:\n" + verdictOf("ship", ""), "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := ReadVerdict(test.answer)
			if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Fatalf("the error is %v", err)
			}
			if (v == nil) != (err != nil) {
				t.Errorf("the verdict is %+v beside %v", v, err)
			}
		})
	}
}

func TestFindingsOfSeveralArePutTogetherByPlace(t *testing.T) {
	read := func(answer string) *Verdict {
		v, err := ReadVerdict(answer)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	at := func(place, severity string) string {
		return strings.NewReplacer("db.go:12", place, "blocker", severity).Replace(blocker)
	}
	o := Merge([]string{"a", "b", "c", "d", "e"}, []*Verdict{
		read(verdictOf("iterate", at("db.go:12", "important")+","+nit)),
		read(verdictOf("iterate", at("./db.go:14:3", "blocker"))),
		read(verdictOf("ship", "")),
		read(verdictOf("abstain", "")),
		nil,
	})
	type place struct {
		At                        string
		Severity                  Severity
		RaisedBy, Objects, Silent []string
	}
	var got []place
	for _, p := range o.Places {
		got = append(got, place{p.Location, p.Severity, p.RaisedBy, p.Objects, p.Silent})
	}
	want := []place{
		{"./db.go:14:3", Blocker, []string{"a", "b"}, []string{"c"}, []string{}},
		{"", Nit, []string{"a"}, []string{}, []string{"b", "c"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || o.Verdict != Iterate || !o.Split {
		t.Errorf("together they say %s (split %t), and\n%s", o.Verdict, o.Split, diff)
	}
	o = Merge([]string{"a", "b"}, []*Verdict{nil, read(verdictOf("abstain", ""))})
	if o.Verdict != Abstain || o.Split {
		t.Errorf("without an opinion they say %+v", o)
	}
}

func FuzzReadVerdict(f *testing.F) {
	f.Add(verdictOf("iterate", blocker))
	f.Add("```\n{}\n```")
	f.Fuzz(func(t *testing.T, answer string) {
		if v, err := ReadVerdict(answer); err == nil && v.consistent() != nil {
			t.Fatalf("%q is taken: %+v", answer, v)
		}
	})
}
