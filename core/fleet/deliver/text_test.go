package deliver

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

func TestOnlyTextIsTyped(t *testing.T) {
	for given, want := range map[string]string{
		"a":                "a",
		"a\r\nb\r\n":       "a\nb",
		"a\n\n":            "a\n",
		"  a\tb  ":         "  a\tb  ",
		"日本語\u2028🎉\u00a0": "日本語\u2028🎉\u00a0",
	} {
		if got, err := PrepareText(given); got != want || err != nil {
			t.Errorf("%q became %q, %v", given, got, err)
		}
	}
}

func TestWhatCouldBeTakenForKeysIsRefused(t *testing.T) {
	for given, message := range map[string]string{
		"":                             "empty",
		"\n\t\r\n":                     "empty",
		"a\x1b[201~\rrm":               "0x1b at offset 1",
		"ab\x00":                       "0x00 at offset 2",
		"a\rb":                         "0x0d at offset 1",
		"é\x7f":                        "0x7f at offset 2",
		"a\u009b201~":                  "0x9b at offset 1",
		"a\xff":                        "0xff at offset 1",
		"a\x9b201~":                    "0x9b at offset 1",
		"\x03":                         "0x03 at offset 0",
		strings.Repeat("a", textMax+1): "1048577 bytes",
	} {
		_, err := PrepareText(given)
		if known := fleettest.WantError(t, err, core.InvalidInput, ""); !strings.Contains(known.Message, message) {
			t.Errorf("%.20q: %s", given, known.Message)
		}
	}
}

func TestNothingIsTypedIfTheTextIsWrong(t *testing.T) {
	p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
	request := Request{Target: resolve.Target{Session: "api"}, Text: "a\x1bb"}
	sent, err := open(t, Options{Engine: p}).Send(t.Context(), request)
	fleettest.WantError(t, err, core.InvalidInput, "")
	if p.Questions > 0 || sent.ID != "" {
		t.Errorf("%d questions, sent %+v", p.Questions, sent)
	}
}

func TestSendIDsSortByTime(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for i := range 1000 {
		id := core.NewPromptID(fleettest.Noon.Add(time.Duration(i) * time.Millisecond))
		if id <= last || seen[id] {
			t.Fatalf("%s after %s", id, last)
		}
		last, seen[id] = id, true
	}
	if a, b := core.NewPromptID(fleettest.Noon), core.NewPromptID(fleettest.Noon); a == b {
		t.Error("two sends of one moment share an id")
	}
}
