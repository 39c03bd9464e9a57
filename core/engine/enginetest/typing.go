package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine"
)

// listener starts a program that writes what is typed into a file, byte by
// byte, and returns the file.
func (e subject) listener(t *testing.T, setup string) (engine.Location, string) {
	t.Helper()
	heard := filepath.Join(ShortDir(t), "heard")
	loc := e.create(t, engine.Launch{Session: "listener", Argv: []string{
		"/bin/sh", "-c", "stty raw -echo; printf '" + setup + "ready'; exec cat >" + heard,
	}})
	e.shows(t, loc.Pane, "ready")
	return loc, heard
}

// hears waits until a file holds what was typed, and nothing else.
func hears(t *testing.T, file, want string) {
	t.Helper()
	Eventually(t, Timeout, func() bool { return len(readFile(file)) >= len(want) },
		func() string {
			return fmt.Sprintf("heard %d of %d bytes: %.200q", len(readFile(file)), len(want), readFile(file))
		})
	if got := readFile(file); got != want {
		t.Fatalf("heard %.200q, want %.200q", got, want)
	}
}

// texts are texts that are hard to type.
var texts = map[string]string{
	"one line":   "hello",
	"lines":      strings.Repeat("a line of a longer text, as people write it\n", 60),
	"20 kB":      strings.Repeat("0123456789abcde\n", 1280),
	"1 MB":       strings.Repeat("0123456789abcde\n", 65536),
	"unicode":    "naïve café — 日本語 🎉👩‍👩‍👧 e\u0301",
	"keys":       "Enter C-c Escape",
	"flags":      "-X cancel",
	"dash":       "-",
	"semicolon":  ";",
	"semicolons": `a ; b \; c;`,
	"escaped":    `x\;`,
	"formats":    "#{pane_id} #(id) ##[x] %H $HOME ~ `id` \\ 'q' \"p\"",
	"control":    "tab\there \x01\x02\x7f",
	"not utf-8":  "\xff\xfe\x80",
	"blank ends": "  x  \n",
	"zero":       "a\x00b",
}

var typing = []promise{
	{"any text arrives as it is", func(t *testing.T, e subject) {
		loc, heard := e.listener(t, "")
		said := ""
		for name, text := range texts {
			if err := e.Paste(t.Context(), loc.Pane, []byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			said += strings.ReplaceAll(text, "\n", "\r")
			hears(t, heard, said)
		}
	}},
	{"text is bracketed for programs that ask for it", func(t *testing.T, e subject) {
		loc, heard := e.listener(t, `\033[?2004h`)
		big := bytes.Repeat([]byte("x"), 20000)
		for _, text := range [][]byte{[]byte("a\nb"), big} {
			if err := e.Paste(t.Context(), loc.Pane, text); err != nil {
				t.Fatal(err)
			}
		}
		hears(t, heard, "\x1b[200~a\rb\x1b[201~\x1b[200~"+string(big)+"\x1b[201~")
	}},
	{"nothing is nothing to do", func(t *testing.T, e subject) {
		loc, heard := e.listener(t, `\033[?2004h`)
		if err := e.Paste(t.Context(), loc.Pane, nil); err != nil {
			t.Error(err)
		}
		if err := e.Press(t.Context(), loc.Pane); err != nil {
			t.Error(err)
		}
		if err := e.Press(t.Context(), loc.Pane, "x"); err != nil {
			t.Error(err)
		}
		hears(t, heard, "x")
	}},
	{"keys are pressed in order", func(t *testing.T, e subject) {
		loc, heard := e.listener(t, "")
		if err := e.Press(t.Context(), loc.Pane, "a", "Enter", "C-c", "Escape", ";", "-", "#", "$", "~", "'", "\"",
			"\\", "Space", "Tab", "é", "Up", "S", "M-x", "C-[", engine.EscapeU, engine.EscapeU, "b", engine.EscapeU,
		); err != nil {
			t.Fatal(err)
		}
		hears(t, heard, "a\r\x03\x1b;-#$~'\"\\ \té\x1b[AS\x1bx\x1b\x1b[27u\x1b[27ub\x1b[27u")
	}},
	{"an unknown key presses nothing", func(t *testing.T, e subject) {
		loc, heard := e.listener(t, "")
		for _, key := range []string{
			"Return", "Entr", "", "ab", "C-", "C-Foo", "--", "-l", "0x41", "C-é", "\x1b", "\n",
			"X-a", "日本", "C-EscapeU", "escapeu",
		} {
			if err := e.Press(t.Context(), loc.Pane, "a", key); !errors.Is(err, engine.ErrBadKey) {
				t.Errorf("%q: %v", key, err)
			}
		}
		if err := e.Press(t.Context(), loc.Pane, "z"); err != nil {
			t.Error(err)
		}
		hears(t, heard, "z")
	}},
	{"a pane that is gone or dead is an error", func(t *testing.T, e subject) {
		loc := e.create(t, engine.Launch{Session: "s", Argv: []string{"/bin/sh", "-c", "exit 0"}})
		Eventually(t, Timeout, func() bool { return e.pane(t, loc.Pane).Process.Dead }, nil)
		big := bytes.Repeat([]byte("x"), 20000)
		for name, err := range map[string]error{
			"paste":     e.Paste(t.Context(), loc.Pane, []byte("x")),
			"big paste": e.Paste(t.Context(), loc.Pane, big),
			"press":     e.Press(t.Context(), loc.Pane, "x"),
		} {
			if !errors.Is(err, engine.ErrDead) {
				t.Errorf("%s, dead: %v", name, err)
			}
		}
		for name, err := range map[string]error{
			"paste":     e.Paste(t.Context(), "%99", []byte("x")),
			"big paste": e.Paste(t.Context(), "%99", big),
			"press":     e.Press(t.Context(), "%99", "x"),
			"no id":     e.Press(t.Context(), "", "x"),
			"no pane":   e.Paste(t.Context(), "s", []byte("x")),
		} {
			if !errors.Is(err, engine.ErrNoPane) {
				t.Errorf("%s, gone: %v", name, err)
			}
		}
	}},
	{"many typists do not mix their texts", func(t *testing.T, e subject) {
		loc, heard := e.listener(t, "")
		done := make(chan error)
		for i := range 8 {
			go func() {
				done <- e.Paste(t.Context(), loc.Pane, bytes.Repeat([]byte{'a' + byte(i)}, 1000*(1+i%2*19)))
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		total := 4*1000 + 4*20000
		Eventually(t, Timeout, func() bool { return len(readFile(heard)) == total }, nil)
		text := readFile(heard)
		runs := 1
		for i := 1; i < len(text); i++ {
			if text[i] != text[i-1] {
				runs++
			}
		}
		if runs != 8 {
			t.Errorf("%d runs of 8 texts", runs)
		}
	}},
}
