package crew

import (
	"slices"
	"testing"
)

func TestFencesEndAsInMarkdown(t *testing.T) {
	for answer, want := range map[string][]string{
		"```\n@b.two: code\n```\n@b.two: text":                               {"text"},
		"```go\n@b.two: open":                                                {"open"},
		"```go\n@b.two: code\n```go\n@b.two: code\n```\n@b.two: text":        {"text"},
		"```go\n@b.two: code\n```\n\n```go\n@b.two: open":                    {"open"},
		"````md\n```go\n@b.two: code\n```\n@b.two: code\n````\n@b.two: text": {"text"},
		"```say``` is no fence\n\n@b.two: text":                              {"text"},
	} {
		var got []string
		for _, said := range Parse(answer, []string{"a.one", "b.two"}).Messages {
			got = append(got, said.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}
