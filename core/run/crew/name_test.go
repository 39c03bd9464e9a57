package crew

import (
	"strings"
	"testing"

	"cupola/core"
)

func TestParseMemberSpec(t *testing.T) {
	for word, want := range map[string]MemberSpec{
		"reviewer:claude":       {Role: "reviewer", Backend: "claude"},
		"ada.critic: codex: o3": {Role: "ada.critic", Backend: "codex", Model: "o3"},
		"judge:ollama:qwen3:8b": {Role: "judge", Backend: "ollama", Model: "qwen3:8b"},
	} {
		if got, err := ParseMemberSpec(word); err != nil || got != want {
			t.Errorf("%q: %+v, %v", word, got, err)
		}
	}
	for _, word := range []string{"", "reviewer", ":claude", "reviewer:"} {
		if _, err := ParseMemberSpec(word); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

func TestNewMembersHaveFirstNamesThatAreFree(t *testing.T) {
	first := func(int) int { return 0 }
	members, err := NewMembers([]MemberSpec{{Role: "reviewer"}, {Role: "Abel.judge"}, {Role: "reviewer"}}, first)
	if err != nil {
		t.Fatal(err)
	}
	if members[0].Name != "alma.reviewer" || members[1].Name != "Abel.judge" || members[2].Name != "amos.reviewer" {
		t.Errorf("%s, %s, %s", members[0].Name, members[1].Name, members[2].Name)
	}
	if role := members[0].Role(); role != "reviewer" {
		t.Errorf("the role is %q", role)
	}
	crowd := make([]MemberSpec, Most+1)
	for _, wrong := range [][]MemberSpec{
		nil, crowd,
		{{Role: "all"}},
		{{Role: "User"}},
		{{Role: "crew"}},
		{{Role: "a b"}},
		{{Role: ""}},
		{{Role: ".x"}},
		{{Role: "x\x00"}},
		{{Role: strings.Repeat("x", longestName+1)}},
		{{Role: "a.b"}, {Role: "A.b"}},
	} {
		if _, err := NewMembers(wrong, first); err == nil {
			t.Errorf("%+v is no crew", wrong)
		}
	}
}

func TestSeededPickOfTheSameTextPicksTheSame(t *testing.T) {
	a, b := SeededPick("x"), SeededPick("x")
	for range 10 {
		if x, y := a(50), b(50); x != y {
			t.Errorf("the same text picks %d and %d", x, y)
		}
	}
}
