package agent_test

import (
	"path/filepath"
	"testing"

	"cupola/core/agent"
)

func TestAVersionThatNobodyHasRecordedIsUnseen(t *testing.T) {
	kinds := load(t)
	for _, kind := range kinds.All() {
		newest, _ := kind.Unseen("")
		if newest == "" {
			continue
		}
		for version, unseen := range map[string]bool{
			newest: false, newest + ".1": true, "999.0.0": true, "0.0.1": false, "": false,
		} {
			if _, is := kind.Unseen(version); is != unseen {
				t.Errorf("%s %q: unseen is not %v", kind.ID, version, unseen)
			}
		}
	}
	for _, c := range corpus(t, filepath.Join("testdata", "screens")) {
		kind, _ := kinds.Find(c.Agent)
		newest, unseen := kind.Unseen(c.Version)
		if newest == "" && c.Agent != "scripted" {
			t.Errorf("%s says no version that was seen", c.Agent)
		}
		if unseen {
			t.Errorf("%s: %s is recorded, and counts as unseen", c.File, c.Version)
		}
	}
}

func TestTheScreenSaysWhetherAPromptSteersTheTurn(t *testing.T) {
	kinds, seen := load(t), map[agent.Busy]int{}
	for _, c := range corpus(t, filepath.Join("testdata", "screens")) {
		if c.Agent != "qwen" {
			continue
		}
		kind, _ := kinds.Find(c.Agent)
		reading := kind.Read(c.screen(t))
		if _, found := reading.Composer(); !found {
			continue
		}
		want := agent.Queues
		if c.Version == "0.24.4" {
			want = agent.Steers
		}
		if got := reading.Busy(); got != want {
			t.Errorf("%s (%s): %s, want %s", c.File, c.Version, got, want)
		}
		seen[want]++
	}
	if seen[agent.Queues] == 0 || seen[agent.Steers] == 0 {
		t.Errorf("%v", seen)
	}
}
