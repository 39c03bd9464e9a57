// Package gittest runs git in tests without the user's settings.
package gittest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var ada = []string{
	"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada",
	"GIT_COMMITTER_EMAIL=ada@example.org", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
	"GIT_TEMPLATE_DIR=", // no samples of hooks
}

// Run runs git in a folder and returns what it prints, without blanks around it. The author
// of commits is Ada; env is added to the environment. If git fails, so does the test.
func Run(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
	inherited := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "GIT_") })
	cmd.Env = slices.Concat(inherited, ada, env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
