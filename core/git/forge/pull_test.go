package forge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git/forge"
	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

// program writes a script that answers as gh does.
func program(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := shelltest.WriteProgram(path, []byte("#!/bin/sh\n"+text)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestThePullRequestOfABranchIsRead(t *testing.T) {
	const hub = `{"number":12,"title":"Fix\u001b[2J it","url":"https://github.com/a/b/pull/12","state":"OPEN",`
	for name, test := range map[string]struct {
		says   string
		gitLab bool
		want   forge.Pull
		words  string
	}{
		"passed": {
			says:  hub + `"statusCheckRollup":[{"status":"COMPLETED","conclusion":"SUCCESS"},{"state":"SUCCESS"}]}`,
			want:  forge.Pull{Number: 12, State: forge.PullOpen, Checks: forge.ChecksPassed},
			words: "checks passed",
		},
		"one failed": {
			says: hub + `"statusCheckRollup":[{"status":"IN_PROGRESS","conclusion":""},{"conclusion":"FAILURE"}]}`,
			want: forge.Pull{Number: 12, State: forge.PullOpen, Checks: forge.ChecksFailed}, words: "checks failed",
		},
		"one runs": {
			says:  hub + `"statusCheckRollup":[{"status":"IN_PROGRESS","conclusion":""},{"conclusion":"SUCCESS"}]}`,
			want:  forge.Pull{Number: 12, State: forge.PullOpen, Checks: forge.ChecksPending},
			words: "checks run",
		},
		"no checks": {
			says: hub + `"statusCheckRollup":null}`, want: forge.Pull{Number: 12, State: forge.PullOpen}, words: "open",
		},
		"draft": {
			says: hub + `"isDraft":true}`, want: forge.Pull{Number: 12, State: forge.PullDraft}, words: "draft",
		},
		"gitlab": {
			gitLab: true,
			says: `{"iid":7,"title":"Fix it","web_url":"https://gitlab.com/a/b/-/merge_requests/7","state":"merged",` +
				`"head_pipeline":{"status":"success"}}`,
			want: forge.Pull{Number: 7, State: forge.PullMerged, Checks: forge.ChecksPassed}, words: "merged",
		},
	} {
		ask := &forge.Ask{
			Program: program(t, "gh", "cat <<'E'\n"+test.says+"\nE\n"), GitLab: test.gitLab, Dir: t.TempDir(),
			Environ: os.Environ(),
		}
		got, err := ask.PullOf(t.Context(), "fix")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if words := got.Words(); words != test.words {
			t.Errorf("%s: %q", name, words)
		}
		plain := *got
		plain.Title, plain.URL = "", ""
		if plain != test.want {
			t.Errorf("%s: %+v", name, got)
		}
		if strings.ContainsAny(got.Title, "\x1b") || got.URL == "" || got.Title == "" || got.Title[0] != 'F' {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAForgeThatFailsIsApart(t *testing.T) {
	for says, want := range map[string]core.Code{
		`echo 'no pull requests found for branch "fix"' >&2; exit 1`:        core.NotFound,
		`echo 'To get started run: gh auth login' >&2; exit 4`:              core.AuthFailed,
		`echo 'no git remotes found' >&2; exit 1`:                           core.RemoteNotFound,
		`echo 'dial tcp: no route' >&2; exit 1`:                             core.NetworkError,
		`echo '<html>'`:                                                     core.DecodeFailed,
		`echo '{"number":1,"url":"javascript:alert(1)","state":"OPEN"}'`:    core.DecodeFailed,
		`head -c 9000000 /dev/zero | tr '\0' '['`:                           core.DecodeFailed,
		`echo '{"number":-1,"url":"https://x/1","state":"OPEN","title":1}'`: core.DecodeFailed,
	} {
		ask := &forge.Ask{Program: program(t, "gh", says), Dir: t.TempDir(), Environ: os.Environ()}
		if got, err := ask.PullOf(t.Context(), "fix"); got != nil || !core.AsError(err).HasCode(want) {
			t.Errorf("%s: %+v, %v", says, got, err)
		}
	}
	ask := &forge.Ask{Dir: t.TempDir()}
	if _, err := ask.PullOf(t.Context(), "fix"); !core.AsError(err).HasCode(core.ToolNotFound) {
		t.Errorf("without gh: %v", err)
	}
	if _, err := ask.PullOf(t.Context(), "--web"); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("a branch that is a flag: %v", err)
	}
}

func TestTheRemoteSaysWhoKnowsPullRequests(t *testing.T) {
	dir := t.TempDir()
	gittest.Run(t, dir, nil, "init", "--quiet")
	find := func(name string) (string, error) { return "/bin/" + name, nil }
	if ask := forge.At(t.Context(), dir, os.Environ(), find); ask.Program != "/bin/gh" {
		t.Errorf("%+v", ask)
	}
	gittest.Run(t, dir, nil, "remote", "add", "origin", "git@gitlab.example.org:a/b.git")
	if ask := forge.At(t.Context(), dir, os.Environ(), find); ask.Program != "/bin/glab" || !ask.GitLab {
		t.Errorf("%+v", ask)
	}
}
