package core_test

import (
	"testing"

	"cupola/core"
)

func TestBareTitleLeavesOutWhatAgentsAnimate(t *testing.T) {
	for title, want := range map[string]string{
		"":                                  "",
		"✳ Claude Code":                     "Claude Code",
		"⠐ write tests":                     "write tests",
		"◇  Ready (api)      ":              "Ready (api)",
		"✦  Working… (api)":                 "Working… (api)",
		"✋  Action Required (api)":          "Action Required (api)",
		"⚠️ look":                           "look",
		"[ ! ] Action Required | fix | api": "Action Required | fix | api",
		"[ . ] Action Required | fix | api": "Action Required | fix | api",
		"[1] one":                           "[1] one",
		"| compiling":                       "compiling",
		"/ compiling":                       "compiling",
		"- compiling":                       "compiling",
		"* Thinking":                        "Thinking",
		"/usr/bin/less":                     "/usr/bin/less",
		"~/src":                             "~/src",
		"-v":                                "-v",
		"⠋":                                 "",
		"[":                                 "[",
		"日本語":                               "日本語",
	} {
		if got := core.BareTitle(title); got != want {
			t.Errorf("core.BareTitle(%q) = %q, want %q", title, got, want)
		}
	}
}

func FuzzBareTitle(f *testing.F) {
	f.Add("⠐ [ ! ] x ")
	f.Fuzz(func(t *testing.T, title string) {
		if once := core.BareTitle(title); core.BareTitle(once) != once {
			t.Errorf("core.BareTitle(%q) = %q is not bare", title, once)
		}
	})
}
