package story_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/story"
)

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestAddLearnings(t *testing.T) {
	one := []story.Learning{{Text: "a", Task: "1.1", Story: "1", At: day("2026-01-02")}}
	for _, c := range []struct {
		name, before, want string
		learnings          []story.Learning
	}{
		{"a file is made", "", "## Learnings\n\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)\n", one},
		{
			"the section is made", "# D\ntext",
			"# D\ntext\n\n## Learnings\n\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)\n", one,
		},
		{"CRLF", "# D\r\n", "# D\r\n\r\n## Learnings\r\n\r\n### 2026-01-02 - Story 1\r\n\r\n- a (Task 1.1)\r\n", one},
		{
			"the section is in the middle", "# D\n## Learnings\n\nold\n\n## Next\nx",
			"# D\n## Learnings\n\nold\n\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)\n\n## Next\nx", one,
		},
		{
			"no blank line before the next", "## Learnings\n# Next\n",
			"## Learnings\n\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)\n\n# Next\n", one,
		},
		{
			"a group is extended", "## Learnings\n### 2026-01-02 - Story 1\n- b\n### 2026-01-02 - Story 10\n- c\n",
			"## Learnings\n### 2026-01-02 - Story 1\n- b\n- a (Task 1.1)\n### 2026-01-02 - Story 10\n- c\n", one,
		},
		{
			"what is known", "## Learnings\n### 2026-01-02 - Story 1\n- a\n",
			"## Learnings\n### 2026-01-02 - Story 1\n- a\n", one,
		},
		{
			"known without a newline", "## learnings ##\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)",
			"## learnings ##\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)", one,
		},
		{
			"a heading in code", "```\n## Learnings\n```\n",
			"```\n## Learnings\n```\n\n## Learnings\n\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)\n", one,
		},
		{
			"a heading in code ends no section", "## Learnings\n~~~\n# x\n~~~\n# y\n",
			"## Learnings\n~~~\n# x\n~~~\n\n### 2026-01-02 - Story 1\n\n- a (Task 1.1)\n\n# y\n", one,
		},
		{
			"code without end", "```\n## Learnings\n", "```\n## Learnings\n\n### 2026-01-02 - General\n\n- a\n  x\n",
			[]story.Learning{{Text: "a\n```\nx\n```", At: day("2026-01-02")}},
		},
		{"sorted, on lines, once", "", "## Learnings\n\n### 2026-01-01 - General\n\n" +
			"- a\n  ## b\n\n  ```go\n  c\n  ```\n\n" +
			"### 2026-01-02 - Story 1\n\n- x (Task 9)\n- y\n", []story.Learning{
			{Text: "x", Story: "1", Task: "9", At: day("2026-01-02")},
			{Text: " \n", At: day("2026-01-01")},
			{Text: "y\x1b", Story: "1\n", At: day("2026-01-02")},
			{Text: "x", Story: "1", At: day("2026-01-02")},
			{Text: "\r\na\r\n## b\r\n\r\n```go\r\nc\r\n", At: day("2026-01-02").Add(-time.Second)},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "design.md")
			if c.before != "" {
				write(t, path, c.before)
			}
			files := story.Files{Locks: filepath.Join(dir, "locks")}
			for range 2 {
				if err := files.AddLearnings(t.Context(), path, c.learnings); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != c.want {
					t.Fatalf("got %q\nwant %q, %v", got, c.want, err)
				}
			}
		})
	}
}

func TestLearningsNeedAFolder(t *testing.T) {
	dir := t.TempDir()
	files := story.Files{Locks: dir}
	err := files.AddLearnings(t.Context(), filepath.Join(dir, "none", "design.md"), []story.Learning{{Text: "a"}})
	if !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("got %v", err)
	}
	if err := files.AddLearnings(t.Context(), filepath.Join(dir, "none", "design.md"), nil); err != nil {
		t.Errorf("nothing to write: %v", err)
	}
}

func FuzzAddLearnings(f *testing.F) {
	f.Add("# D\r\n## Learnings\r\n```\r\n# x", "a\n```\nb", "c", "1")
	f.Add("```\n## Learnings\n### 2026-01-02 - General\n- a\n\n\n# y", "- a", "## Learnings", "")
	f.Fuzz(func(t *testing.T, before, a, b, of string) {
		dir := t.TempDir()
		path := filepath.Join(dir, "design.md")
		write(t, path, before)
		files := story.Files{Locks: dir}
		learnings := []story.Learning{
			{Text: a, Story: of, Task: of, At: day("2026-01-02")}, {Text: b, At: day("2026-01-02")},
		}
		add := func(learnings []story.Learning) string {
			if err := files.AddLearnings(context.Background(), path, learnings); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return string(got)
		}
		after := add(learnings)
		if again := add(learnings); again != after {
			t.Fatalf("twice:\n%q\n%q", after, again)
		}
		// Nothing of the text is lost, and its order stays.
		rest := after
		for line := range strings.SplitSeq(before, "\n") {
			_, found, ok := strings.Cut(rest, line)
			if !ok {
				t.Fatalf("%q is lost:\n%q\n%q", line, before, after)
			}
			rest = found
		}
		if len(after) < len(before) {
			t.Fatalf("shorter:\n%q\n%q", before, after)
		}
	})
}
