package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
)

func TestEachServerHasATokenOfItsOwn(t *testing.T) {
	records := Records{Dir: filepath.Join(t.TempDir(), "servers")}
	const url = "http://127.0.0.1:7777"
	tokens := map[string]string{}
	for name, r := range map[string]*Record{
		"all": {URL: url, Allow: "destroys"}, "reads": {URL: url, Allow: "reads"},
		"confined":     {URL: url, Allow: "destroys", Sessions: []string{"api"}},
		"two sessions": {URL: url, Allow: "destroys", Sessions: []string{"api", "web"}},
		"another name": {URL: url, Allow: "destroys", Sessions: []string{"api,web"}},
		"one host":     {URL: url, Allow: "destroys", Hosts: []string{"api"}},
		"another port": {URL: "http://127.0.0.1:7778", Allow: "destroys"},
		"with TLS":     {URL: "https://127.0.0.1:7777", Allow: "destroys"},
	} {
		first, err := records.Token(r)
		if err != nil || len(first) < secretBytes {
			t.Fatalf("%s: %q %v", name, first, err)
		}
		if again, err := records.Token(r); err != nil || again != first {
			t.Errorf("%s: then it is %q, %v", name, again, err)
		}
		if other, known := tokens[first]; known {
			t.Errorf("%s has the token of %s", name, other)
		}
		tokens[first] = name
	}
	file := filepath.Join(records.Dir, secretFile)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info, err)
	}
	if secret, err := os.ReadFile(file); err != nil || tokens[strings.TrimSpace(string(secret))] != "" {
		t.Errorf("the secret is a token: %v", err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := records.Token(&Record{}); !core.AsError(err).HasCode(core.IOError) {
		t.Errorf("of a damaged file it is %q, %v", token, err)
	}
}

func TestAPassIsForOneVisit(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	passes := &Passes{Token: "a secret", Now: func() time.Time { return now }}
	pass := NewPass("a secret", now)
	until, _, _ := strings.Cut(pass, ".")
	for name, bad := range map[string]string{
		"nothing": "", "a dot": ".", "of another secret": NewPass("another", now), "cut": pass[:len(pass)-1],
		"made longer": "z" + pass, "without the word": until + pass[strings.LastIndexByte(pass, '.'):],
	} {
		if passes.Admit(bad) {
			t.Errorf("%s: %q is let in", name, bad)
		}
	}
	if !passes.Admit(pass) {
		t.Error("it is not let in")
	}
	if passes.Admit(pass) {
		t.Error("it is let in twice")
	}
	late, ahead := NewPass("a secret", now), NewPass("a secret", now.Add(time.Hour))
	if passes.Admit(ahead) {
		t.Error("one of a clock that went back is let in")
	}
	now = now.Add(passFor + time.Second)
	if passes.Admit(late) {
		t.Error("it is let in too late")
	}
}
