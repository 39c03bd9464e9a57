//go:build servers

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"cupola/core/engine/enginetest"
	"cupola/robot/service/servicetest"
)

// axe judges whether a page can be used by all; it is a package of npm.
const axe = "axe-core@4.11.0"

// browser is a headless Chromium with one tab.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu sync.Mutex
	// complaints are the errors that the page wrote to its console.
	complaints []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Fatal("chromium is missing: apt install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	console := chromedp.Console(ctx)
	go func() {
		for message, err := range console {
			if err != nil {
				return
			}
			if message.IsException() || message.Type == chromedp.ConsoleError {
				b.mu.Lock()
				b.complaints = append(b.complaints, message.Text+" at "+message.URL)
				b.mu.Unlock()
			}
		}
	}()
	return b
}

// do runs actions.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	value(b, chromedp.Steps(actions...))
}

// value runs an action, and returns its result.
func value[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, testTimeout)
	defer cancel()
	got, err := chromedp.Run(ctx, action)
	if err != nil {
		again, cancel := context.WithTimeout(b.ctx, testTimeout)
		defer cancel()
		body, _ := chromedp.Run(again, chromedp.Evaluate[string]("document.body.innerText"))
		b.t.Fatalf("%v; the page shows:\n%s", err, body)
	}
	return got
}

// script evaluates an expression, whose result does not matter.
func script(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](text)
}

// says waits until the page contains a text.
func (b *browser) says(text string) {
	b.t.Helper()
	b.do(chromedp.Poll[chromedp.Void](fmt.Sprintf("document.body.innerText.includes(%q)", text)))
}

// open opens the page of a pane.
func (b *browser) open(pane string) {
	b.t.Helper()
	b.do(script("location.hash = '#/pane/"+pane+"'"), chromedp.Poll[chromedp.Void](
		fmt.Sprintf("document.querySelector('.pane h2')?.textContent.startsWith(%q)", pane)))
}

// key presses keys.
func (b *browser) key(keys string) { b.do(chromedp.KeyEvent(keys)) }

// stands waits until a button acts.
func (b *browser) stands(selector string) {
	b.t.Helper()
	b.do(chromedp.Poll[chromedp.Void](fmt.Sprintf("document.querySelector(%q) !== null", selector+"[data-settled]")))
}

// forget forgets complaints that had to come.
func (b *browser) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = nil
}

// quiet fails if the page complained.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 {
		b.t.Errorf("the console has %q", b.complaints)
	}
}

// picture saves what is seen in the folder that the variable names, if any.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("CUPOLA_PICTURES")
	if folder == "" {
		return
	}
	png := value(b, chromedp.CaptureScreenshot())
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// TestThePageIsLive uses the page as a person would: with the keyboard, from the first look to an approval, a prompt
// and typing, over a crash of the server.
func TestThePageIsLive(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0", "--commands")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(server.page))
	b.says("api.1")
	b.says("in-the-cat")
	cold := b.painted()
	bytes := value(b, chromedp.Evaluate[float64](
		"performance.getEntriesByType('resource').filter(e => !e.name.includes('/api/'))"+
			".reduce((all, e) => all + e.transferSize, 0)"))
	b.do(chromedp.Reload())
	b.says("in-the-cat")
	warm := b.painted()
	t.Logf("first picture after %.0f ms in a new browser, then %.0f ms; %.0f KB", cold, warm, bytes/1000)
	if bytes == 0 || bytes > 150_000 {
		t.Errorf("the page takes %.0f bytes", bytes)
	}
	b.picture("page")
	t.Run("a pane prints", b.latency(m))
	t.Run("an approval", func(*testing.T) {
		m.cupola("send", "api.1", "approve touch zz")
		b.says("waiting (approval)")
		b.key("w")
		b.says("Approve")
		b.picture("page-inbox")
		b.stands(".approve")
		b.key("d")
		b.key(kb.Enter)
		b.says("Nothing needs you")
	})
	t.Run("a prompt", func(t *testing.T) {
		b.open("api.2")
		b.key("s")
		b.do(chromedp.SendKeys("#prompt", "from the page"))
		b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl)))
		b.says("Sent to api.2")
		enginetest.Eventually(t, testTimeout, func() bool {
			return strings.Contains(strings.Join(m.logged("prompt"), "\n"), "from the page")
		}, func() string { return fmt.Sprint(m.logged("prompt")) })
	})
	t.Run("a prompt over a draft", func(*testing.T) {
		m.cupola("send", "api.2", "half a", "--no-enter")
		b.do(chromedp.SendKeys("#prompt", "whole"))
		b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl)))
		b.says("Clear the draft there")
		b.forget() // the refusal
		b.press("Clear the draft there, and send")
		b.says("Sent to api.2")
	})
	t.Run("typing", func(*testing.T) {
		b.open("web.1")
		b.stands(".keys")
		b.do(chromedp.Focus(".keys"), chromedp.KeyEvent(kb.Enter))
		b.says("Typing: Esc Esc")
		b.key("typed" + kb.Enter)
		shows(m, "web:1", "typed\ntyped")
		b.says("typed")
		b.key(kb.Escape + kb.Escape)
		b.says("Type keys")
	})
	t.Run("a hostile pane", func(t *testing.T) {
		m.tmux.Run("send-keys", "-l", "-t", "web:1", `<img src=x onerror="window.hostile=1"><script>hostile=1</script>`)
		b.says("<script>hostile=1</script>")
		if value(b, chromedp.Evaluate[bool]("window.hostile === 1")) {
			t.Error("what a pane shows is markup")
		}
		m.tmux.Run("send-keys", "-t", "web:1", "C-u")
	})
	b.quiet()
	t.Run("a crash", func(t *testing.T) {
		if err := syscall.Kill(server.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		b.says("no connection")
		m.serving(strings.TrimPrefix(server.url, "http://"), "--commands")
		b.says("live")
		m.cupola("send", "web.1", "after the crash")
		b.says("after the crash")
		b.forget() // those of the lost connection
	})
	t.Run("all can use it", b.accessible)
	b.quiet()
}

// painted is how many milliseconds the first picture took.
func (b *browser) painted() float64 {
	b.t.Helper()
	return value(b, chromedp.Poll[float64]("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
}

// latency measures how long it takes from a line in a pane to the line on the page.
func (b *browser) latency(m *machine) func(*testing.T) {
	return func(t *testing.T) {
		b.do(script(`window.seen = {};
			new MutationObserver(() => {
				for (const mark of document.body.textContent.match(/mark-\d+-/g) || []) window.seen[mark] ||= Date.now();
			}).observe(document.body, { subtree: true, childList: true, characterData: true });`))
		var late []time.Duration
		for range 20 {
			now := time.Now()
			mark := fmt.Sprintf("mark-%d-", now.UnixMilli())
			m.tmux.Run("send-keys", "-t", "web:1", mark, "Enter")
			at := value(b, chromedp.Poll[float64](fmt.Sprintf("window.seen[%q]", mark), chromedp.WithPollingMutation()))
			late = append(late, time.UnixMilli(int64(at)).Sub(now))
		}
		t.Logf("from the pane to the page: median %v of %v", median(late), late)
	}
}

// accessible looks at every place in dark and light, wide and narrow, and lets axe judge it.
func (b *browser) accessible(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(servicetest.Modules(t, axe), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	b.do(script(string(source)))
	for _, scheme := range []string{"dark", "light"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
			b.do(chromedp.EmulateViewport(size[0], size[1]))
			for _, place := range []string{
				"fleet", "inbox", "changes", "runs", "history", "history/touch", "alerts", "usage", "hosts", "browsers",
				"pane/api.1",
			} {
				b.do(script("location.hash = '#/"+place+"'"), chromedp.Sleep(300*time.Millisecond))
				name := fmt.Sprintf("%s-%d-%s", scheme, size[0], strings.ReplaceAll(place, "/", "-"))
				b.picture(name)
				found := value(b, chromedp.Evaluate[[]string](`axe.run().then((all) => all.violations
					.filter((one) => ["serious", "critical"].includes(one.impact))
					.map((one) => one.id + ": " + one.nodes.map((node) => node.html.slice(0, 120)).join(" | ")))`,
					chromedp.EvalAwaitPromise))
				if len(found) > 0 {
					t.Errorf("%s: %q", name, found)
				}
				if value(b, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth")) {
					t.Errorf("%s is wider than the window", name)
				}
			}
		}
	}
}
