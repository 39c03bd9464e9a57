package secret

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSecretsAreMaskedAndWordsStay(t *testing.T) {
	for text, want := range map[string]string{
		"key sk-ant-api03-abcdefghijklmnop_qrstuv":      "key sk-ant-[masked]",
		"sk-proj-abcdefghijklmnopqrst and more":         "sk-proj-[masked] and more",
		"ghp_abcdefghijklmnopqrstuvwxyz0123":            "ghp_[masked]",
		"AKIAIOSFODNN7EXAMPLE":                          "AKIA[masked]",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.c2lnbmF": "eyJ[masked]",
		"Authorization: Bearer abcdefghijklmnop1234":    "Authorization: Bearer [masked]",
		"postgres://user:hunter22@db/x":                 "postgres://user:[masked]@db/x",
		`DB_PASSWORD="correct horse"`:                   `DB_PASSWORD="[masked]"`,
		"api_key: 0123456789":                           "api_key: [masked]",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\nabc":     "-----BEGIN RSA PRIVATE KEY-----[masked]",
		"the password is checked in auth.go":            "the password is checked in auth.go",
		"sk-short, http://host/path, key = x":           "sk-short, http://host/path, key = x",
		"tokens: 1500, secret santa":                    "tokens: 1500, secret santa",
		"max_tokens=4096 input_tokens: 12,345":          "max_tokens=4096 input_tokens: 12,345",
		"password: string;":                             "password: string;",
		"token := getToken(ctx)":                        "token := getToken(ctx)",
		"if (user.password === other.password) {":       "if (user.password === other.password) {",
		"key: value, primary_key: id, sort-key=name":    "key: value, primary_key: id, sort-key=name",
		"PASSWORD_FILE=/run/secrets/db":                 "PASSWORD_FILE=/run/secrets/db",
		"export GH_TOKEN=$(pass show gh)":               "export GH_TOKEN=$(pass show gh)",
		"API_KEY=${API_KEY} TOKEN=<your token>":         "API_KEY=${API_KEY} TOKEN=<your token>",
		"a1b2c3d4e5f60718293a4b5c6d7e8f9012345678 fix":  "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678 fix",
		"password: ********":                            "password: ********",
	} {
		if got := Mask(text); got != want {
			t.Errorf("%q is masked as %q, not %q", text, got, want)
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("sk-ant-abcdefghijklmnopqrstuvwxyz password=abcdefgh user://a:b@c")
	f.Fuzz(func(t *testing.T, text string) {
		masked := Mask(text)
		if utf8.ValidString(text) && !utf8.ValidString(masked) {
			t.Fatalf("%q is masked as %q", text, masked)
		}
		if !strings.Contains(masked, mark) && masked != text {
			t.Fatalf("%q became %q", text, masked)
		}
	})
}

// mostTouched is how many of a thousand ordinary lines may be masked.
const mostTouched = 2

// TestOrdinaryLinesStay reads recorded screens, streams and transcripts, and the sources of this program.
func TestOrdinaryLinesStay(t *testing.T) {
	t.Parallel()
	for name, root := range map[string]string{"recordings": os.Getenv("CUPOLA_TESTDATA"), "sources": "../../.."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if root == "" {
				t.Skip("CUPOLA_TESTDATA is not set")
			}
			lines, touched := 0, 0
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.Contains(path, "core/text/secret") {
					return err
				}
				text, err := os.ReadFile(path)
				for line := range strings.SplitSeq(string(text), "\n") {
					if strings.TrimSpace(line) == "" || len(line) > 1<<16 {
						continue
					}
					lines++
					if masked := Mask(line); masked != line {
						touched++
						if testing.Verbose() {
							t.Logf("%.200q", masked)
						}
					}
				}
				return err
			})
			t.Logf("%d of %d lines are touched", touched, lines)
			if err != nil || lines < 10_000 || touched*1000 > lines*mostTouched {
				t.Errorf("%d of %d lines are touched, %v", touched, lines, err)
			}
		})
	}
}

func TestAllRulesOfGitleaksCompile(t *testing.T) {
	t.Parallel()
	set := rules()
	for _, r := range set.all {
		if r.prefix == "" && r.expr() == nil || len(r.words) == 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, short := range set.all {
		for _, word := range short.words {
			if len(word) < 2 || word != strings.ToLower(word) {
				t.Errorf("%q is in every text, or in none", word)
			}
		}
	}
	if len(set.all) < 300 {
		t.Errorf("only %d rules", len(set.all))
	}
}

// BenchmarkMask masks lines of agents' screens; one in fifty has a credential.
func BenchmarkMask(b *testing.B) {
	m := maker{rand.New(rand.NewPCG(1, 2))}
	var text strings.Builder
	for i := range 1000 {
		text.WriteString("  ● Reading core/fleet/deliver/send.go and 3 more files (12.3k tokens, ctrl+o to expand)\n")
		if i%50 == 0 {
			text.WriteString("GH_TOKEN=" + m.hex(40) + "\n")
		}
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		Mask(text.String())
	}
}
