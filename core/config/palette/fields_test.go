package palette_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/config/palette"
)

func TestFieldsOfAPromptAreFilled(t *testing.T) {
	p := &palette.Prompt{Key: "fix", Text: "Fix ${goal} in ${dir}, ${goal} first; leave ${HOME} and $dir."}
	if names := palette.Fields(p.Text); !slices.Equal(names, []string{"goal", "dir"}) {
		t.Errorf("the fields are %v", names)
	}
	text, err := p.Fill([]string{"goal=a=${dir}", "dir="})
	if want := "Fix a=${dir} in , a=${dir} first; leave ${HOME} and $dir."; err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
	for _, test := range []struct {
		given []string
		code  core.Code
	}{
		{nil, core.MissingRequired},
		{[]string{"goal=x"}, core.MissingRequired},
		{[]string{"goal=x", "dir=y", "gaol=z"}, core.InvalidInput},
		{[]string{"goal", "dir=y"}, core.InvalidInput},
	} {
		if _, err := p.Fill(test.given); !core.AsError(err).HasCode(test.code) {
			t.Errorf("%v: %v", test.given, err)
		}
	}
}
