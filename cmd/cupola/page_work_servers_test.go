//go:build servers

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cupola/core/engine/enginetest"
)

// press presses the button with a text, in the dialog if one is open, once it acts.
func (b *browser) press(text string) {
	b.t.Helper()
	const find = `[...(document.querySelector("dialog[open]") || main).querySelectorAll("button")].find((one) => ` +
		`one.checkVisibility() && one.textContent === %q && (one.closest("dialog") || one.hasAttribute("data-settled")))`
	b.shows(fmt.Sprintf(clickTaken, fmt.Sprintf(find, text)))
}

// clickTaken clicks a button, if it is there. It is false where the page refuses the click, because the button has just
// come or moved, so that it is clicked again as a user would.
const clickTaken = `((one) => Boolean(one?.dispatchEvent(
	new MouseEvent("click", { bubbles: true, cancelable: true }))))(%s)`

// fill writes values into the fields of the open form.
func (b *browser) fill(values map[string]string) {
	b.t.Helper()
	b.shows("document.querySelector('dialog[open] form') !== null")
	for name, value := range values {
		b.do(script(fmt.Sprintf("document.querySelector('dialog [name=%q]').value = %q", name, value)))
	}
}

// closed waits until the form is closed.
func (b *browser) closed() { b.shows("document.querySelector('dialog[open]') === null") }

// project makes a repository with one commit in the home folder.
func (m *machine) project(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(m.home, "project")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.email", "ada@example.org"},
		{"config", "user.name", "Ada"},
		{"add", "."},
		{"commit", "--quiet", "--message=first"},
	} {
		git := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	return dir
}

// TestThePageDoesTheWork starts agents, reviews what they changed, and ends them, as a user away from the desk does.
func TestThePageDoesTheWork(t *testing.T) {
	m := newFleetMachine(t)
	dir := m.project(t)
	server := m.serving("127.0.0.1:0", "--commands")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1")
	t.Run("start", func(*testing.T) {
		b.press("Start agents")
		b.fill(map[string]string{"session": "work", "kind": "scripted", "dir": dir})
		b.picture("start-form")
		b.do(script("document.querySelector('dialog [name=worktree]').checked = true"))
		b.press("Start")
		b.closed()
		b.says("work")
	})
	tree := filepath.Join(m.home, "project-worktrees", "work", "scr_1")
	t.Run("review", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(tree, "file.txt"), []byte("one\nchanged\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.do(script("location.hash = '#/changes/' + encodeURIComponent(" + fmt.Sprintf("%q", tree) + ")"))
		b.says("+changed")
		b.picture("changes")
		b.do(script("document.querySelector('.diff li.added').click()"))
		b.fill(map[string]string{"said": "Say why."})
		b.press("Keep")
		b.says("Say why.")
		b.press("Send 1 comment to work.1")
		b.says("Sent to work.1")
		enginetest.Eventually(t, testTimeout, func() bool {
			said := strings.Join(m.logged("prompt"), "\n")
			return strings.Contains(said, "file.txt:2\n> +changed\nSay why.")
		}, func() string { return fmt.Sprint(m.logged("prompt")) })
		b.press("Commit")
		b.fill(map[string]string{"title": "Change a line"})
		b.press("Commit")
		b.says("Committed")
		b.press("Merge")
		b.press("Merge") // the question
		b.says("Merged")
		text, err := os.ReadFile(filepath.Join(dir, "file.txt"))
		if err != nil || string(text) != "one\nchanged\n" {
			t.Errorf("%v: the project has %q", err, text)
		}
	})
	t.Run("discard", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(tree, "file.txt"), []byte("wrong\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.do(script("dispatchEvent(new Event('hashchange'))"))
		b.says("+wrong")
		b.press("Discard")
		b.press("Discard") // the question
		b.says("Discarded")
		if text, err := os.ReadFile(filepath.Join(tree, "file.txt")); err != nil || string(text) != "one\nchanged\n" {
			t.Errorf("%v: the file has %q", err, text)
		}
	})
	t.Run("many", func(t *testing.T) {
		b.do(script("location.hash = '#/fleet'"))
		b.press("Send to many")
		b.fill(map[string]string{"msg": "to all of you"})
		b.press("Send")
		b.says("Sent to 3")
	})
	t.Run("restart and end", func(*testing.T) {
		b.open("work.1")
		b.picture("pane-phone")
		b.press("Restart")
		b.press("Restart")
		b.says("Restarted work.1")
		b.press("End")
		b.press("End")
		b.says("There is no pane work.1")
	})
	t.Run("history and search", func(*testing.T) {
		b.do(script("location.hash = '#/history'"))
		b.says("to all of you")
		b.do(script("location.hash = '#/history/' + encodeURIComponent('Say why')"))
		b.says("What was said")
		b.says("file.txt:2")
	})
	b.quiet()
}
