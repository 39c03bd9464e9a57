package theme

import (
	"strings"
	"testing"
)

func TestSchemesCanBeReadOnTheirGrounds(t *testing.T) {
	for _, name := range SchemeNames() {
		scheme, ok := FindScheme(name)
		if !ok {
			t.Fatalf("%s is not found", name)
		}
		if scheme == nil || scheme.mono {
			continue
		}
		for _, light := range []bool{false, true} {
			own := scheme.dark
			if light {
				own = scheme.light
			}
			for token, style := range tokenStyles {
				for _, ground := range []string{"ground", "selection"} {
					least := 4.5
					if Token(token) == Border || ground == "selection" {
						least = 3
					}
					front, back := scheme.of(style.colour, light).rgb, own[ground].rgb
					if got := contrast(front, back); got < least {
						t.Errorf("%s, light %v: token %d on its %s has contrast %.1f", name, light, token, ground, got)
					}
				}
			}
		}
	}
}

func TestAFileOfColoursIsReadOrExplained(t *testing.T) {
	for text, want := range map[string]string{
		"[dark]\ntext = \"#ffffff\"":     "",
		"[dark]\ntxt = \"#ffffff\"":      `there is no colour "txt"; there are text, dim`,
		"[dark]\ntext = \"white\"":       `text is "white", and not #rrggbb`,
		"[darkness]\ntext = \"#ffffff\"": "is neither dark nor light",
		"[dark":                          "theme own",
	} {
		_, err := ParseScheme("own", text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestWithoutColourBoldAndReverseStay(t *testing.T) {
	plain := New(Options{Level: Plain})
	if got := plain.Style(Strong).Render("x"); got != "\x1b[1mx\x1b[0m" {
		t.Errorf("strong is %q", got)
	}
	if got := plain.Selected(Text).Render("x"); got != "\x1b[7mx\x1b[0m" {
		t.Errorf("selected is %q", got)
	}
	mono, _ := FindScheme(Mono)
	if got := New(Options{Level: True, Scheme: mono}).Style(Danger).Render("x"); strings.Contains(got, "38;") {
		t.Errorf("danger is %q", got)
	}
}
