package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

func TestSynonymsLeadToExistingVerbs(t *testing.T) {
	catalog := catalog.All()
	verbs, flags, values, sorted := suggest.Synonyms()
	if !sorted || len(verbs) < 50 || len(flags) < 30 || len(values) < 10 {
		t.Errorf("sorted: %v; %d, %d and %d words", sorted, len(verbs), len(flags), len(values))
	}
	for word, names := range verbs {
		if catalog.Find(word) != nil {
			t.Errorf("%s is a verb", word)
		}
		for _, name := range names {
			if flag, is := strings.CutPrefix(name, "--"); is {
				flag, _, _ = strings.Cut(flag, "=")
				if len(names) != 2 || catalog.Find(names[0]).Field(flag) == nil {
					t.Errorf("%s: %q is not one verb with a flag of its own", word, names)
				}
			} else if catalog.Find(name) == nil {
				t.Errorf("%s: no verb is named %s", word, name)
			}
		}
	}
	for word, names := range flags {
		for _, flag := range names {
			name, _, _ := strings.Cut(flag, "=")
			if registry.GlobalField(name) == nil && len(catalog.TakenBy(name)) == 0 {
				t.Errorf("%s: no verb takes --%s", word, flag)
			}
		}
	}
}

func TestWordsOfOtherProgramsAreUnderstood(t *testing.T) {
	catalog := catalog.All()
	for _, word := range strings.Fields("list ls ps new create start stop end logs log cost usage approve accept " +
		"deny reject ready submit prompt ask run exec " +
		"rm delete remove cat show read messages view top resume pause cancel clear todo tasks") {
		if len(suggest.Verbs(catalog, word)) == 0 {
			t.Errorf("nothing is known to be meant by %s", word)
		}
	}
	for word, want := range map[string][]string{
		"ls": {"status"}, "stop": {"interrupt", "kill"}, "statsu": {"status"},
		"zzzzzz": {}, "session-list": {"status"}, "agent-list": {"status"}, "list_agents": {"status"},
		"pane-list": {"status"}, "create-session": {"spawn"}, "end-session": {"kill"}, "robot-status": {"status"},
		"get-status": {"status"}, "task-list": {"bead-list"}, "inbox": {"attention"}, "mesage": {"send", "reply"},
		"sumbit": {"send"}, "aprove": {"answer"},
	} {
		if got := suggest.Verbs(catalog, word); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	for flag, want := range map[string]string{
		"message": "msg", "text": "msg", "prompt": "msg", "agent": "type",
		"count": "", "format": "robot-format", "pane": "panes",
	} {
		if got := suggest.Flags(catalog.Find("send"), flag); want != "" && !slices.Contains(got, want) ||
			want == "" && len(got) > 0 {
			t.Errorf("--%s: got %q, want %q", flag, got, want)
		}
	}
}
