package server

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/alert/webpush"
)

func TestABrowserStaysSignedInUntilItIsSignedOut(t *testing.T) {
	records := Records{Dir: filepath.Join(t.TempDir(), "servers")}
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	record := &Record{URL: "http://127.0.0.1:7777", Allow: "destroys"}
	browsers := records.Browsers(record, clock)
	first, err := browsers.SignIn("A\x1b[31m browser")
	if err != nil {
		t.Fatal(err)
	}
	second, err := browsers.SignIn(strings.Repeat("long ", 100))
	if err != nil || first == second {
		t.Fatalf("%q %q %v", first, second, err)
	}
	if token, _ := records.Token(record); token == first {
		t.Error("its word is the token")
	}
	for name, other := range map[string]*Record{
		"another port": {URL: "http://127.0.0.1:7778", Allow: "destroys"},
		"other limits": {URL: record.URL, Allow: "reads"},
	} {
		if records.Browsers(other, clock).Knows(first) {
			t.Errorf("it is signed in at %s", name)
		}
	}
	for _, bad := range []string{"", ".", "..", "/", first + "x", first[1:], filepath.Base(records.Dir)} {
		if browsers.Knows(bad) {
			t.Errorf("%q is known", bad)
		}
	}
	listed, err := records.Browsers(record, clock).List() // by another process
	if err != nil || len(listed) != 2 {
		t.Fatalf("%+v %v", listed, err)
	}
	files, _ := filepath.Glob(filepath.Join(records.Dir, browsersDir, "*", "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		info, _ := os.Stat(file)
		if err != nil || strings.Contains(file+string(text), first) || info.Mode().Perm() != 0o600 ||
			strings.Contains(string(text), "\x1b") || len(text) > 300 {
			t.Errorf("%s %v: %s", file, info.Mode(), text)
		}
	}
	now = now.Add(browserFor - time.Hour)
	if !browsers.Knows(first) {
		t.Error("it is signed out too early")
	}
	now = now.Add(2 * time.Hour)
	if !browsers.Knows(first) || browsers.Knows(second) {
		t.Error("the one that came is signed out, or the one that did not come is not")
	}
	now = now.Add(-time.Hour)
	if !browsers.Knows(first) {
		t.Error("it is signed out when the clock goes back")
	}
	listed, err = browsers.List()
	if err != nil || len(listed) != 1 || listed[0].Program != "A browser" {
		t.Fatalf("%+v %v", listed, err)
	}
	if out, err := records.Browsers(record, clock).SignOut("nosuch"); err != nil || len(out) != 0 {
		t.Errorf("%+v %v", out, err)
	}
	out, err := records.Browsers(record, clock).SignOut(listed[0].ID)
	if err != nil || len(out) != 1 || browsers.Knows(first) {
		t.Errorf("it is still signed in: %+v %v", out, err)
	}
}

func TestThereAreNoMoreBrowsersThanAreKept(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	browsers := Records{Dir: t.TempDir()}.Browsers(&Record{}, func() time.Time { return now })
	words := []string{}
	for i := range mostBrowsers + 3 {
		now = now.Add(time.Second)
		word, err := browsers.SignIn(fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, word)
	}
	listed, err := browsers.List()
	if err != nil || len(listed) != mostBrowsers || browsers.Knows(words[0]) || !browsers.Knows(words[3]) {
		t.Errorf("%d are signed in, %v", len(listed), err)
	}
}

func TestASubscriptionBelongsToItsBrowser(t *testing.T) {
	records := Records{Dir: filepath.Join(t.TempDir(), "servers")}
	clock := func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }
	browsers := records.Browsers(&Record{URL: "http://127.0.0.1:7777"}, clock)
	word, err := browsers.SignIn("A browser")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	to := &webpush.Subscription{Endpoint: "https://push.example.org/send/abc"}
	to.Keys.P256dh = base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
	to.Keys.Auth = base64.RawURLEncoding.EncodeToString(make([]byte, 16))
	if err := browsers.Subscribe("nobody's word", to); err == nil {
		t.Error("a browser that is not signed in subscribes")
	}
	if err := browsers.Subscribe(word, &webpush.Subscription{Endpoint: "https://127.0.0.1/"}); err == nil {
		t.Error("an address of this machine is taken")
	}
	subscribed := func() int { return len(records.Subscribed(clock)) }
	for _, step := range []struct {
		name string
		do   func() error
		want int
	}{
		{"subscribed", func() error { return browsers.Subscribe(word, to) }, 1},
		{"again", func() error { return browsers.Subscribe(word, to) }, 1},
		{"no more", func() error { return browsers.Subscribe(word, nil) }, 0},
		{"once more", func() error { return browsers.Subscribe(word, to) }, 1},
		{"gone", func() error { all := records.Subscribed(clock); all[0].End(); return nil }, 0},
		{"and back", func() error { return browsers.Subscribe(word, to) }, 1},
		{"signed out", func() error { _, err := browsers.SignOut(browsers.IDOf(word)); return err }, 0},
	} {
		if err := step.do(); err != nil || subscribed() != step.want {
			t.Errorf("%s: %d, want %d: %v", step.name, subscribed(), step.want, err)
		}
	}
	first, err := records.Pusher()
	if err != nil {
		t.Fatal(err)
	}
	if second, err := records.Pusher(); err != nil || second.Public() != first.Public() {
		t.Errorf("the key of the machine changes: %v", err)
	}
}
