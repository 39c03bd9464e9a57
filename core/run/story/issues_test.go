package story_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/run/story"
)

func TestIssuesInACircleAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ issues, circle string }{
		"apart":    {`[{"number":1,"title":"a","body":"text"},{"number":2,"title":"b","body":"Depends on #1."}]`, ""},
		"itself":   {`[{"number":1,"title":"a","body":"Depends on #1."}]`, ""},
		"a circle": {`[{"number":1,"title":"a","body":"Depends on #2."},{"number":2,"title":"b","body":"Blocked by #1."}]`, "-> "},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "issues.json")
			if err := os.WriteFile(file, []byte(c.issues), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := story.ReadIssues(file)
			if (err != nil) != (c.circle != "") || err != nil && !strings.Contains(err.Error(), c.circle) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
