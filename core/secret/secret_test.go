package secret

import (
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
		`DB_PASSWORD="correct horse"`:                   `DB_PASSWORD="[masked] horse"`,
		"api_key: 0123456789":                           "api_key: [masked]",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\nabc":     "-----BEGIN RSA PRIVATE KEY-----[masked]",
		"the password is checked in auth.go":            "the password is checked in auth.go",
		"sk-short, http://host/path, key = x":           "sk-short, http://host/path, key = x",
		"tokens: 1500, secret santa":                    "tokens: 1500, secret santa",
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
