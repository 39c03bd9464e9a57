package config_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/config"
)

func TestFaultsOfOwnCommandsAreReported(t *testing.T) {
	for text, want := range map[string]string{
		``:                                  "commands.x runs nothing",
		`run = []`:                          "commands.x runs nothing",
		`run = [" ", "x"]`:                  "commands.x runs nothing",
		`run = "make"`:                      "commands.x.run",
		`rum = ["make"]`:                    "did you mean commands.x.run?",
		`run = ["git", "push", "{brnach}"]`: "a row has no field {brnach}",
		`run = ["a", "{dri}"]`:              "did you mean {dir}?",
		"run = [\"echo {branch}\"]\nshell = true": `write "$CUPOLA_ROW_BRANCH" for {branch}`,
		"run = [\"echo\", \"x\"]\nshell = true":   `run = ["echo x"]`,
	} {
		c, _, _ := load(t, "[commands.x]\n"+text+"\n[commands.sound]\nrun = [\"make\"]\n", nil)
		if all := strings.Join(c.Warnings(), "\n"); !strings.Contains(all, want) {
			t.Errorf("%s: %s", text, all)
		}
		if _, kept := c.Commands["x"]; kept || len(c.Commands) != 1 {
			t.Errorf("%s: what holds is %v", text, c.Commands)
		}
	}
	for _, text := range []string{
		`run = ["awk", "{print $1}", "{}"]`, "run = [\"jq '{name}'\"]\nshell = true", `run = ["x", "{dir}/{branch}"]`,
	} {
		if c, _, _ := load(t, "[commands.x]\n"+text+"\n", nil); len(c.Warnings()) > 0 || len(c.Commands) != 1 {
			t.Errorf("%s: %q", text, c.Warnings())
		}
	}
}

func TestValuesOfARowStayData(t *testing.T) {
	values := map[string]string{
		"branch": "$(rm -rf x)", "dir": "/a b/'c\"/{branch}", "session": "api;reboot",
	}
	argv, missing := config.OwnCommand{Run: []string{"tool", "--at={dir}", "{branch}{session}", "{}"}}.Filled(values)
	want := []string{"tool", "--at=/a b/'c\"/{branch}", "$(rm -rf x)api;reboot", "{}"}
	if !slices.Equal(argv, want) || missing != "" {
		t.Errorf("it runs %q, missing %q", argv, missing)
	}
	several := config.OwnCommand{Run: []string{"tool", "{kind}", "{agent}"}}
	if _, missing = several.Filled(values); missing != "{kind}" {
		t.Errorf("missing is %q", missing)
	}
	line := "echo \"$CUPOLA_ROW_BRANCH\""
	argv, _ = config.OwnCommand{Run: []string{line}, Shell: true}.Filled(values)
	if !slices.Equal(argv, []string{"/bin/sh", "-c", line}) {
		t.Errorf("the shell gets %q", argv)
	}
	environ := config.RowEnviron(values)
	if !slices.Contains(environ, "CUPOLA_ROW_BRANCH=$(rm -rf x)") || !slices.Contains(environ, "CUPOLA_ROW_AGENT=") {
		t.Errorf("the variables are %q", environ)
	}
}

func TestAProjectHasNoOwnCommands(t *testing.T) {
	key, err := config.KeyNamed("commands")
	if err != nil || key.Guard == "" {
		t.Fatalf("a project's file may set %v: %v", key, err)
	}
}
