package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/bridge"
)

func TestFillMakesOneArgumentOfEachWord(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.FixedZone("", 3600))
	for _, test := range []struct {
		why      string
		template [][]string
		values   bridge.Values
		want     []string
	}{
		{
			"words without modifiers are always there",
			[][]string{{"search", "--robot"}},
			nil,
			[]string{"search", "--robot"},
		},
		{"a group without its modifier is left out", [][]string{{"a"}, {"--limit", "{limit}"}}, nil, []string{"a"}},
		{
			"a group with it is there",
			[][]string{{"--limit", "{limit}"}},
			bridge.Values{"limit": 3},
			[]string{"--limit", "3"},
		},
		{"a group needs all of its modifiers", [][]string{{"{a}", "{b}"}}, bridge.Values{"a": "x"}, []string{}},
		{
			"blanks and quotes are no shell's",
			[][]string{{"{q}"}},
			bridge.Values{"q": `a 'b' "c"; rm -rf $HOME`},
			[]string{`a 'b' "c"; rm -rf $HOME`},
		},
		{
			"a value holds no template",
			[][]string{{"{q}"}},
			bridge.Values{"q": "{limit}", "limit": 3},
			[]string{"{limit}"},
		},
		{
			"a switch that is on only conditions",
			[][]string{{"--all", "{?all}"}},
			bridge.Values{"all": true},
			[]string{"--all"},
		},
		{
			"a switch that is off leaves its group out",
			[][]string{{"--all", "{?all}"}},
			bridge.Values{"all": false},
			[]string{},
		},
		{
			"a time as a date, in UTC",
			[][]string{{"--since={since:date}"}},
			bridge.Values{"since": noon},
			[]string{"--since=2026-01-31"},
		},
		{
			"a time",
			[][]string{{"--since={since}"}},
			bridge.Values{"since": noon},
			[]string{"--since=2026-01-31T11:00:00Z"},
		},
		{
			"a list as one word",
			[][]string{{"--ids={ids}"}},
			bridge.Values{"ids": []string{"a", "b"}},
			[]string{"--ids=a,b"},
		},
		{
			"a list as many words",
			[][]string{{"--", "{ids:items}"}},
			bridge.Values{"ids": []string{"a", "-b"}},
			[]string{"--", "a", "-b"},
		},
		{
			"a dash is plain behind two",
			[][]string{{"x", "--"}, {"{q}"}},
			bridge.Values{"q": "-rf"},
			[]string{"x", "--", "-rf"},
		},
		{
			"a dash is plain behind a flag's name",
			[][]string{{"--query={q}"}},
			bridge.Values{"q": "-rf"},
			[]string{"--query=-rf"},
		},
		{"an empty value is a word", [][]string{{"--query={q}"}}, bridge.Values{"q": ""}, []string{"--query="}},
	} {
		got, err := bridge.Fill(test.template, test.values)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v", test.why, got, err)
		}
	}
}

func TestFillRefusesWhatAToolCouldTakeForAFlag(t *testing.T) {
	for why, test := range map[string]struct {
		template [][]string
		value    any
	}{
		"a bare word":               {[][]string{{"{q}"}}, "-rf"},
		"behind a flag of its own":  {[][]string{{"--query", "{q}"}}, "--all"},
		"an item of a list":         {[][]string{{"{q:items}"}}, []string{"a", "-b"}},
		"a NUL":                     {[][]string{{"--query={q}"}}, "a\x00b"},
		"a NUL behind two dashes":   {[][]string{{"--", "{q:items}"}}, []string{"a\x00b"}},
		"before the two dashes":     {[][]string{{"{q}", "--"}}, "-x"},
		"where another is in front": {[][]string{{"{q}{q}"}}, "-x"},
	} {
		got, err := bridge.Fill(test.template, bridge.Values{"q": test.value})
		if !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%s: %q, %v", why, got, err)
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add("search", "{q}", "auth error")
	f.Add("--q={q}", "{?on}", "-rf")
	f.Add("{q:items}", "{", "\x00")
	f.Fuzz(func(t *testing.T, one, two, value string) {
		argv, err := bridge.Fill([][]string{{one, two}}, bridge.Values{"q": value, "on": true})
		if err != nil {
			return
		}
		if len(argv) > 2 {
			t.Errorf("two words became %q", argv)
		}
		for i, word := range argv {
			if strings.ContainsRune(value, 0) && strings.Contains(word, value) && value != "" {
				t.Errorf("word %d holds a NUL: %q", i, word)
			}
		}
		if one == "{q}" && strings.HasPrefix(value, "-") {
			t.Errorf("a value became the flag %q", argv)
		}
	})
}
