package envfile_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/config/envfile"
)

func TestTheUsualFormsAreRead(t *testing.T) {
	text := "# settings\n\nA=1\nexport B = two words # a comment\r\nC='it is $HOME # \\n'\n" +
		"D=\"one\\n\\\"two\\\"\nthree\"\nE=\nF=a=b#c\n"
	want := []string{"A=1", "B=two words", "C=it is $HOME # \\n", "D=one\n\"two\"\nthree", "E=", "F=a=b#c"}
	got, err := envfile.Parse(text)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

func TestWhatIsNoVariableIsNamedByItsLine(t *testing.T) {
	for text, line := range map[string]string{
		"A=1\nwords": "line 2", "A B=1": "line 1", "\n1A=x": "line 2", "A='x\ny": "line 1", "$(id)=1": "line 1",
	} {
		if _, err := envfile.Parse(text); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: got %v, want an error that names %s", text, err, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("A=\"x\\")
	f.Add("export A='")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := envfile.Parse(text)
		for _, pair := range pairs {
			name, _, is := strings.Cut(pair, "=")
			if err != nil || !is || envfile.CheckName(name) != nil {
				t.Fatalf("%q became %q, %v", text, pair, err)
			}
		}
	})
}
