package intent_test

import (
	"strings"
	"testing"

	"cupola/tui/intent"
)

func TestOwnCommandsGetKeysThatAreFree(t *testing.T) {
	keys := tables.Keymap()
	for key, want := range map[string]string{
		"s": `means "send a prompt"; `, "q": `means "quit`, "F33": `there is no key "F33"`,
		"ctrl+pgdow": "did you mean ctrl+pgdown?", "": "there is no key",
	} {
		if err := keys.AddOwn("deploy", key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if err := keys.AddOwn("deploy", "alt+d"); err != nil {
		t.Fatal(err)
	}
	if err := keys.AddOwn("other", "alt+d"); err == nil || !strings.Contains(err.Error(), "run your command deploy") {
		t.Errorf("one key for two commands: %v", err)
	}
	for _, scope := range []*intent.Scope{&intent.Tree, &intent.Grid, &intent.Peeking} {
		found := keys.Of(scope).Find("alt+d")
		if found == nil || found.Intent != (intent.Own{Name: "deploy"}) || scope.Find("alt+d") != nil {
			t.Errorf("in %s it means %v", scope.Name, found)
		}
	}
	if keys.Of(&intent.Inbox).Find("alt+d") != nil {
		t.Error("it is a key of the inbox")
	}
}
