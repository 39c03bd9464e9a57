package agent_test

import (
	"strings"
	"testing"

	"cupola/core/agent"
)

func TestAForkHasTheRulesOfItsModelAndNoneOfItsPromises(t *testing.T) {
	kinds, err := agent.Load(folder(map[string]string{
		"claude.toml": "[typing]\nsettle = \"900ms\"\n",
		"fork.toml":   "like = \"claude\"\n[launch]\ncommand = [\"fork\"]\n[rule.approval]\npriority = 99\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	fork, _ := kinds.Find("fork")
	claude, _ := kinds.Find("claude")
	if fork == nil || !fork.Readable() || fork.Typing.Settle != claude.Typing.Settle || fork.Short != "fork" {
		t.Fatalf("the fork is %+v", fork)
	}
	_, hooks := fork.Install()
	if hooks || fork.Headless.Given() || fork.Skills.Given() || fork.MCP.Given() || len(fork.Process.Names) > 0 ||
		len(claude.Background.List) == 0 || len(fork.Background.List) > 0 {
		t.Error("the fork takes over what is true of Claude alone")
	}
	if e, err := fork.Edge([]byte(`{"hook_event_name":"UserPromptSubmit"}`)); err != nil || e.State != "working" {
		t.Errorf("a report of its hooks means %+v, %v", e, err)
	}
	for _, c := range corpus(t, "testdata/screens") {
		if c.Agent != "claude" {
			continue
		}
		was, is := claude.Read(c.screen(t)), fork.Read(c.screen(t))
		if was.Ready() != is.Ready() {
			t.Errorf("%s: ready %v, and the fork %v", c.File, was.Ready(), is.Ready())
		}
		if block, open := is.Blocked(); open && block.Rule.ID == "approval" && block.Rule.Priority != 99 {
			t.Errorf("%s: the fork's own rule reads %+v", c.File, block.Rule)
		}
	}
	if _, err := agent.Load(folder(map[string]string{
		"fork.toml": "like = \"nobody\"\n[launch]\ncommand = [\"fork\"]\n",
	})); err == nil || !strings.HasPrefix(err.Error(), `fork.toml:1: like: "nobody" is no agent kind`) {
		t.Errorf("like nobody: %v", err)
	}
}
