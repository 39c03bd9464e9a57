package crew_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/run/crew"
)

// members are two with one role, one with another, one whose first name is the role of a third, and
// one without a role.
var members = []string{"ada.reviewer", "bo.critic", "cy.critic", "judge.writer", "di.judge", "solo"}

func TestGrammarOfAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		answer   string
		messages []crew.Said
		notes    string
		unknown  []string
	}{
		"nothing":            {"", nil, "", nil},
		"blanks alone":       {" \n\t\n\r\n", nil, "", nil},
		"text is a note":     {"I read it.\nIt is fine.", nil, "I read it.\nIt is fine.", nil},
		"a message":          {"@ada.reviewer: look", []crew.Said{{"ada.reviewer", "look"}}, "", nil},
		"without a blank":    {"@ada.reviewer:look", []crew.Said{{"ada.reviewer", "look"}}, "", nil},
		"more lines":         {"@all: one\ntwo\n  three", []crew.Said{{"all", "one\ntwo\n  three"}}, "", nil},
		"a blank line ends":  {"@all: one\n\ntwo", []crew.Said{{"all", "one"}}, "two", nil},
		"blanks end it too":  {"@all: one\n \t\ntwo", []crew.Said{{"all", "one"}}, "two", nil},
		"a message ends one": {"@all: one\n@user: two", []crew.Said{{"all", "one"}, {"user", "two"}}, "", nil},
		"the same twice":     {"@user: one\n@user: two", []crew.Said{{"user", "one"}, {"user", "two"}}, "", nil},
		"notes around":       {"a\n@all: b\n\nc\n@user: d", []crew.Said{{"all", "b"}, {"user", "d"}}, "a\n\nc", nil},
		"lines of Windows":   {"a\r\n@all: b\r\nc\r\n", []crew.Said{{"all", "b\nc"}}, "a", nil},
		"a block":            {"@all:\none\n\ntwo", []crew.Said{{"all", "one\n\ntwo"}}, "", nil},
		"a block with blanks behind its name": {
			"@all: \t \none\n\ntwo", []crew.Said{{"all", "one\n\ntwo"}}, "", nil,
		},
		"a block keeps code and quotes": {
			"@all:\n> they\n```\n@user: x\n```\nend\n@user: y",
			[]crew.Said{{"all", "> they\n```\n@user: x\n```\nend"}, {"user", "y"}},
			"", nil,
		},
		"a block keeps unknown names": {"@all:\n@nobody: x\ny", []crew.Said{{"all", "@nobody: x\ny"}}, "", nil},
		"an empty block is none":      {"@all:\n\n@user: x", []crew.Said{{"user", "x"}}, "", nil},
		"code is a note":              {"```go\n@all: x\n```", nil, "```go\n@all: x\n```", nil},
		"code ends a message": {
			"@all: see\n```\nx\n```\nmore", []crew.Said{{"all", "see"}}, "```\nx\n```\nmore", nil,
		},
		"code that is indented": {"  ```\n@all: x\n  ```", nil, "```\n@all: x\n  ```", nil},
		"a fence that is never closed": {
			"```\n@all: x\n\n@user: y", []crew.Said{{"all", "x"}, {"user", "y"}}, "```", nil,
		},
		"a third fence": {
			"```\n@all: x\n```\n```\n@user: y", []crew.Said{{"user", "y"}}, "```\n@all: x\n```\n```", nil,
		},
		"a quote is a note":        {"> @all: x", nil, "> @all: x", nil},
		"a quote ends a message":   {"@all: x\n> y\nz", []crew.Said{{"all", "x"}}, "> y\nz", nil},
		"not at the start":         {"so @all: x", nil, "so @all: x", nil},
		"not indented":             {" @all: x", nil, "@all: x", nil},
		"without a colon":          {"@all x", nil, "@all x", nil},
		"a colon that comes later": {"@all : x", nil, "@all : x", nil},
		"an unknown name":          {"@nobody: x", nil, "@nobody: x", nil},
		"an unknown name that is like one": {
			"@ada.revewer: x", nil, "@ada.revewer: x", []string{"ada.revewer"},
		},
		"an unknown name within a message": {
			"@all: x\n@zz.top: y", []crew.Said{{"all", "x\n@zz.top: y"}}, "", []string{"zz.top"},
		},
		"what is code elsewhere": {"@param: x\n@Override: y", nil, "@param: x\n@Override: y", nil},
		"an address":             {"ada@user: x", nil, "ada@user: x", nil},
		"other scripts":          {"@all: 日本語 👩‍👩‍👧", []crew.Said{{"all", "日本語 👩‍👩‍👧"}}, "", nil},
		"broken text":            {"@all: a\xff\x00b", []crew.Said{{"all", "a\xff\x00b"}}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			read := crew.Parse(test.answer, members)
			if !slices.Equal(read.Messages, test.messages) || read.Notes != test.notes ||
				!slices.Equal(read.Unknown, test.unknown) {
				t.Errorf("%q is\n%q, notes %q, unknown %q, want\n%q, notes %q, unknown %q", test.answer, read.Messages,
					read.Notes, read.Unknown, test.messages, test.notes, test.unknown)
			}
		})
	}
}

func TestNamesThatAreMeant(t *testing.T) {
	for name, want := range map[string]string{
		"ada.reviewer": "ada.reviewer", "ADA.Reviewer": "ada.reviewer", "ada": "ada.reviewer", "Ada": "ada.reviewer",
		"reviewer": "ada.reviewer", "Reviewer": "ada.reviewer", "solo": "solo", "SOLO": "solo",
		"all": "all", "ALL": "all", "user": "user", "User": "user",
		// Two have the role; one is named as another's role.
		"critic": "", "bo": "bo.critic", "judge": "", "writer": "judge.writer", "di": "di.judge",
		"crew": "", "": "", "nobody": "", "ada.critic": "", "ada.": "", ".reviewer": "",
	} {
		if got := crew.Resolve(name, members); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for name, names := range map[string][]string{
		"Ada.x": {"ada.x", "Ada.x"}, "all": {"ada.all"}, "user": {"user.x", "bo.user"},
	} {
		if got := crew.Resolve(name, names); got != name {
			t.Errorf("%q among %q is %q", name, names, got)
		}
	}
	if got := crew.Resolve("ADA.X", []string{"ada.x", "Ada.x"}); got != "" {
		t.Errorf("a name that two have in another case is %q", got)
	}
}

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
		for _, said := range crew.Parse(answer, []string{"a.one", "b.two"}).Messages {
			got = append(got, said.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "note\n@ada.reviewer: look\nat it\n\nnote", "@all:\n```\n@user: x\n```\n@user: y", "```\n@all: x",
		"> @all: x\n@nobody.x: y", "@all: \xff\x00\r\r\n@user:\v\f\u2028x", "@ALL:\n\n\n@Ada:x\n ```\n@x",
	} {
		f.Add(seed)
	}
	known := append([]string{crew.All, crew.User}, members...)
	f.Fuzz(func(t *testing.T, answer string) {
		read := crew.Parse(answer, members)
		kept := read.Notes
		for _, said := range read.Messages {
			if !slices.Contains(known, said.To) {
				t.Errorf("a message is for %q", said.To)
			}
			if strings.TrimSpace(said.Text) == "" {
				t.Errorf("a message to %s is empty", said.To)
			}
			kept += "\n" + said.Text
		}
		// Each line is kept as it is, or without the address before it.
		for line := range strings.Lines(answer) {
			line = strings.TrimSpace(line)
			if strings.Contains(kept, line) {
				continue
			}
			name, text, found := strings.Cut(strings.TrimPrefix(line, "@"), ":")
			if !found || crew.Resolve(name, members) == "" || !strings.Contains(kept, strings.TrimSpace(text)) {
				t.Errorf("the line %q is lost: %q", line, kept)
			}
		}
		again := crew.Parse(answer, members)
		if !slices.Equal(again.Messages, read.Messages) || again.Notes != read.Notes {
			t.Error("it is read differently the second time")
		}
	})
}
