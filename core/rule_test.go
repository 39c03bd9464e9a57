package core

import (
	"testing"
	"time"
)

func TestARuleApprovesOneCommandAndNoOther(t *testing.T) {
	for _, test := range []struct {
		rule, command string
		fits          bool
	}{
		{"go test ./...", "go test ./...", true},
		{"go test ./...", "go test ./... ", false},
		{"go test ./...", " go test ./...", false},
		{"go test ./...", "go  test ./...", false},
		{"go test ./...", "go test ./... -v", false},
		{"go test ./...", "go test", false},
		{"go test ./...", "GO test ./...", false},
		{"go test ./...", "go test ./…", false},
		{"go test -run 'A b' .", "go test -run 'A b' .", true},
		{"CGO_ENABLED=0 go build", "CGO_ENABLED=0 go build", true},
		{"ls *.go", "ls *.go", true},
		{"go test *", "go test", true},
		{"go test *", "go test ./... -count=1", true},
		{"go test *", "go test -exec evil", true}, // a prefix leaves the words open, and the docs say so
		{"go test *", "go testing", false},
		{"go test *", "go test-evil", false},
		{"go test *", "go test; rm -rf /", false},
		{"go test *", "go test ;rm -rf /", false},
		{"go test *", "go test && rm x", false},
		{"go test *", "go test & rm x", false},
		{"go test *", "go test | sh", false},
		{"go test *", "go test > /etc/passwd", false},
		{"go test *", "go test < x", false},
		{"go test *", "go test `rm x`", false},
		{"go test *", "go test $(rm x)", false},
		{"go test *", "go test $HOME", false},
		{"go test *", "go test {a,b}", false},
		{"go test *", "go test \\; rm", false},
		{"go test *", "go test !!", false},
		{"go test *", "go test # x", false},
		{"go test *", "go test 'a b'", false},
		{"go test *", "go test *", false},
		{"go test *", "go test ~/x", false},
		{"go test *", "go test\nrm -rf /", false},
		{"go test *", "go test\rrm -rf /", false},
		{"go test *", "go test\x00", false},
		{"go test *", "go test\t./...", false},
		{"go test *", "go test  ./...", false},
		{"go test *", "go test ./...\x1b[2K", false},
		{"go test *", "go test ./...…", false},
		{"go test *", "go test rm\u00a0x", false},
		{"go test *", "go test \u202ex", false},
		{"go test *", "gо test ./...", false}, // with a Cyrillic o
		{"go test *", "GOFLAGS=-exec=evil go test", false},
		{"go test *", "env go test", false},
		{"go test *", "/tmp/go test", false},
		{"go test *", "", false},
		{"bash -c *", "bash -c evil", false},
		{"*", "rm -rf /", false},
	} {
		rule := Rule{Allow: test.rule}
		if got := rule.Fits(test.command); got != test.fits {
			t.Errorf("%q approves %q: %v, want %v", test.rule, test.command, got, test.fits)
		}
	}
}

func TestWhatIsNoRuleIsRefused(t *testing.T) {
	for _, bad := range []string{
		"", " ", "*", " *", "go *", "go  test", "go test ", " go test", "go * test", "go test * *", "go test; ls",
		"go test | cat", "a && b", "$(x)", "`x`", "x > y", "x < y", "go tést", "go test\n", "go\ttest", "x \\y",
		"bash -c *", "/bin/sh x *", "sudo apt *", "env A=1 *", "A=1 go *", "python3 -m *", "go test 'x' *", "x {a} b",
	} {
		if err := CheckRule(bad); !AsError(err).HasCode(InvalidInput) {
			t.Errorf("%q is taken for a rule: %v", bad, err)
		}
	}
	for _, good := range []string{"ls", "go test ./...", "go test *", "make -j4 check", "git diff *", "bash x.sh"} {
		if err := CheckRule(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestARuleEnds(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	agent := Agent{Rules: []Rule{
		{ID: "used up", Most: 2, Uses: 2, Until: now.Add(time.Hour)},
		{ID: "late", Most: 2, Until: now},
		{ID: "live", Most: 2, Uses: 1, Until: now.Add(time.Second)},
		{ID: "zero"},
	}}
	if live := agent.LiveRules(now); len(live) != 1 || live[0].ID != "live" {
		t.Errorf("%+v", live)
	}
}
