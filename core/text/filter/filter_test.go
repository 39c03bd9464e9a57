package filter_test

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/text/filter"
)

var fields = []filter.Field{
	{Name: "state", Values: []string{"idle", "working", "waiting"}}, {Name: "kind"}, {Name: "label"},
}

// row is an agent api.1, of the kind claude, which waits.
func matches(f filter.Filter) bool {
	return f.Matches([]string{"api.1", "cc_1", "claude", "fix the Parser", "waiting"}, func(name string) []string {
		return map[string][]string{"state": {"waiting"}, "kind": {"claude", "cc"}}[name]
	})
}

func TestWordsAreJoinedByAnd(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "api": true, "API parser": true, "api web": false, "!web": true, "!api": false, "api !web": true,
		"state:waiting": true, "state:idle": false, "!state:idle": true, "state:wait": true, "kind:cc": true,
		"kind:cod": false, "label:x": false, "!label:x": true, "STATE:Waiting kind:claude api": true,
		"/^api/": true, "/^pi/": false, "!/^web/": true, "/fix the/": true, "state:/^w/": true, "/fix the/ web": false,
		"the:": false, "fix /": false, "!": false,
	} {
		f, err := filter.Parse(text, fields...)
		if err != nil || matches(f) != want {
			t.Errorf("%q matches %v: %v", text, matches(f), err)
		}
	}
}

func TestMistakesHaveNearMisses(t *testing.T) {
	for text, hint := range map[string]string{
		"stat:waiting": "state:waiting", "state:wating": "state:waiting", "state:none": "idle, working, waiting",
		"lable:x": "label:x", "/[/": "",
	} {
		_, err := filter.Parse(text, fields...)
		e := core.AsError(err)
		if e == nil || e.Code != core.InvalidInput || !strings.Contains(e.Hint, hint) {
			t.Errorf("%q: %v", text, err)
		}
		if matches(filter.Of(text, fields...)) {
			t.Errorf("%q matches while it is typed", text)
		}
	}
	if _, err := filter.Parse("http://x fix:it", fields...); err != nil {
		t.Errorf("a text with a colon: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("!state:/^w x/ api")
	f.Fuzz(func(t *testing.T, text string) {
		matches(filter.Of(text, fields...))
		parsed, err := filter.Parse(text, fields...)
		if err == nil && strings.TrimSpace(text) == "" && !parsed.Empty() {
			t.Errorf("%q chooses", text)
		}
	})
}
