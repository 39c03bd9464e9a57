package cli

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/config"
)

// freeSettings may have any text.
var freeSettings = []string{
	"relay.review_base",           // a branch of whatever repository
	"story.verify", "story.setup", // commands of whatever folder
	"worktree.copy", "worktree.clone", "worktree.link", // patterns
	"worktree.setup", "worktree.teardown", // commands
	"notify.sessions", // patterns
	"bus.url",         // a name alone is the name of a server
}

// TestNoSettingTakesWhatIsRefusedLater sets each setting to a text that none can mean.
func TestNoSettingTakesWhatIsRefusedLater(t *testing.T) {
	tried := 0
	for _, key := range config.Keys() {
		if key.Type == "table" {
			continue
		}
		tried++
		status, stdout, _ := run(t, nil, "--robot config-set "+key.Name+" no/such*thing --dry-run")
		if free := slices.Contains(freeSettings, key.Name); (status == 0) != free {
			t.Errorf("%s: exit %d, %.300q", key.Name, status, stdout)
		}
		if status != 0 && !strings.Contains(stdout, "INVALID_INPUT") {
			t.Errorf("%s: %.300q", key.Name, stdout)
		}
	}
	if tried < 50 {
		t.Errorf("tried only %d", tried)
	}
}

func TestPatternsOfWorktreesStayInTheRepository(t *testing.T) {
	for _, key := range []string{"worktree.copy", "worktree.clone", "worktree.link"} {
		for pattern, status := range map[string]int{"../x": 1, "a/../../x": 1, "/.env": 0, "a..b": 0} {
			got, stdout, _ := run(t, nil, "--robot config-set "+key+" "+pattern+" --dry-run")
			if got != status || status != 0 && !strings.Contains(stdout, "inside the repository") {
				t.Errorf("%s %s: exit %d, %.300s", key, pattern, got, stdout)
			}
		}
	}
}
