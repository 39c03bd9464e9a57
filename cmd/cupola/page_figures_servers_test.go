//go:build servers

package main

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"cupola/core/engine/enginetest"
)

// counted is a forwarder before a server: it counts connections and bytes.
type counted struct {
	address             string
	open, most, carried atomic.Int64
}

// counting forwards what comes to an address of its own to the server that is found later at to.
func counting(t *testing.T, to func() string) *counted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	c := &counted{address: listener.Addr().String()}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go c.forward(from, to())
		}
	}()
	return c
}

func (c *counted) forward(from net.Conn, address string) {
	defer from.Close()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	now := c.open.Add(1)
	defer c.open.Add(-1)
	for before := c.most.Load(); now > before; before = c.most.Load() {
		if c.most.CompareAndSwap(before, now) {
			break
		}
	}
	go func() {
		defer to.Close()
		_, _ = io.Copy(to, io.TeeReader(from, c))
	}()
	_, _ = io.Copy(from, io.TeeReader(to, c)) // until one side ends
}

// Write counts the bytes of either direction.
func (c *counted) Write(p []byte) (int, error) {
	c.carried.Add(int64(len(p)))
	return len(p), nil
}

// behind serves behind a counting forwarder, and opens the page there in a browser with a display of a size.
func (m *machine) behind(t *testing.T, width, height int64, flags ...string) (*counted, *browser) {
	t.Helper()
	var server *running
	c := counting(t, func() string { return strings.TrimPrefix(server.url, "http://") })
	server = m.serving("127.0.0.1:0", append([]string{"--trust-host=" + c.address}, flags...)...)
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(server.page))
	b.says("scr_1")
	return c, b
}

// TestThePageHoldsFewConnections opens four tabs, leaves one thirty times, and comes back.
func TestThePageHoldsFewConnections(t *testing.T) {
	m := newFleetMachine(t)
	c, b := m.behind(t, 1440, 900)
	b.do(script(`void (window.tabs = [window, ...[1, 2, 3].map(() => window.open("/"))])`))
	// The first tab is behind the others: nothing is drawn there, and so nothing polls there.
	every := func(of string) {
		t.Helper()
		var says []bool
		enginetest.Eventually(t, testTimeout, func() bool {
			says = value(b, chromedp.Evaluate[[]bool]("tabs.map((tab) => Boolean("+of+"))"))
			return !slices.Contains(says, false)
		}, func() string { return fmt.Sprintf("%s: %v", of, says) })
	}
	all := func(text string) { every(fmt.Sprintf("tab.document.body?.textContent.includes(%q)", text)) }
	all("scr_1")
	all("live")
	// One that is left may be kept as it is, and has to end its stream.
	for range 30 {
		b.do(script(`tabs[3].location.href = "about:blank"`))
		every(`tab !== tabs[3] || tab.location.href === "about:blank"`)
		b.do(script("tabs[3].history.back()"))
		every(`tab.document.getElementById("link")?.textContent === "live"`)
	}
	m.cupola("send", "api.1", "approve touch one")
	all("waiting (approval)")
	// A browser opens six connections to a host at most: each tab has one for its stream, and they share the others.
	// Those that are about to end count as well.
	t.Logf("%d connections at most", c.most.Load())
	if most := c.most.Load(); most > 8 {
		t.Errorf("%d connections at once", most)
	}
	b.quiet()
}

// phoneFor is how long the list of a phone is watched, and phoneBytes how much it may take meanwhile.
const (
	phoneFor   = 60 * time.Second
	phoneBytes = 60_000
)

// TestThePageOnAPhoneTakesLittle shows the list of a phone for a minute in which an agent works and asks.
func TestThePageOnAPhoneTakesLittle(t *testing.T) {
	m := newFleetMachine(t)
	c, b := m.behind(t, 390, 844)
	b.says("live")
	from, until := c.carried.Load(), time.Now().Add(phoneFor)
	m.cupola("send", "api.1", "slow 1 stream 10")
	m.cupola("send", "api.2", "approve tool touch one")
	b.says("waiting (approval)")
	m.cupola("answer", "api.2", "--deny")
	enginetest.Eventually(t, 2*phoneFor, func() bool { return time.Now().After(until) },
		func() string { return "a clock that does not move" })
	took := c.carried.Load() - from
	t.Logf("%.1f KB in %v", float64(took)/1000, phoneFor)
	if took > phoneBytes {
		t.Errorf("a list of names takes %d bytes in %v", took, phoneFor)
	}
	b.quiet()
}

// keyWithin is how long a key may take to the display on a machine that does other work meanwhile; on one at rest the
// median is below 60 ms.
const keyWithin = 400 * time.Millisecond

// TestThePageShowsKeysAtOnce types into a pane, and measures how long each key takes to its terminal on the page.
func TestThePageShowsKeysAtOnce(t *testing.T) {
	m := newFleetMachine(t)
	_, b := m.behind(t, 1440, 900, "--commands")
	b.open("web.1")
	b.stands(".keys")
	b.do(chromedp.Click(".keys"))
	b.says("Typing: Esc Esc")
	b.do(script(`window.took = [];
		window.addEventListener("keydown", () => {
			const from = performance.now(), rows = document.querySelector(".xterm-rows"), before = rows.textContent;
			const observer = new MutationObserver(() => {
				if (rows.textContent === before) return;
				observer.disconnect();
				took.push(performance.now() - from);
			});
			observer.observe(rows, { subtree: true, childList: true, characterData: true });
		}, true);`))
	const keys = "the quick brown fox j"
	for i, letter := range keys {
		if letter == ' ' {
			letter = '-'
		}
		b.key(string(letter))
		b.shows(fmt.Sprintf("took.length === %d", i+1))
	}
	var took []time.Duration
	for _, ms := range value(b, chromedp.Evaluate[[]float64]("took")) {
		took = append(took, time.Duration(ms*float64(time.Millisecond)))
	}
	t.Logf("from a key to its letter: median %v of %v", median(took), took)
	if median(took) > keyWithin {
		t.Errorf("a key takes %v to the display", median(took))
	}
	b.quiet()
}
