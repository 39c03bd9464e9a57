//go:build servers

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cupola/core/engine/enginetest"
)

// queued are the texts of the prompts that wait for an agent, in their order.
func (m *machine) queued(where string) string {
	m.t.Helper()
	return mustAsk(m.t, `[.queue[].text] | join(",")`, m.cupola("queue", where))
}

// pressIn presses the button with a text within an element, once it acts.
func (b *browser) pressIn(selector, text string) {
	b.t.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll(%q)].find((one) => one.textContent === %q && "+
		"one.hasAttribute('data-settled'))", selector+" button", text)
	b.shows(fmt.Sprintf(clickTaken, find))
}

// TestThePageKeepsAQueue queues prompts for an agent that waits, changes, moves and drops them, and sees the rest
// delivered once it is idle.
func TestThePageKeepsAQueue(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	m.cupola("send", "api.1", "approve tool touch one")
	m.card("api", 1)
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1")
	b.open("api.1")
	for n, text := range []string{"first", "second", "third"} {
		b.do(script(fmt.Sprintf("document.getElementById('prompt').value = %q", text)))
		b.pressIn("form", "Queue")
		b.shows(fmt.Sprintf("document.querySelectorAll('.queue li').length === %d", n+1))
	}
	b.shows("document.getElementById('prompt').value === ''")
	b.picture("queue-phone")
	has := func(want string) {
		t.Helper()
		enginetest.Eventually(t, testTimeout, func() bool { return m.queued("api.1") == want },
			func() string { return m.queued("api.1") + ", not " + want })
		b.shows(fmt.Sprintf("[...document.querySelectorAll('.queue .why')].map((one) => one.textContent).join() === %q",
			want))
	}
	has("first,second,third")
	b.pressIn(".queue li:nth-child(3)", "Move up")
	has("first,third,second")
	b.pressIn(".queue li:nth-child(1)", "Edit")
	b.fill(map[string]string{"msg": "changed"})
	b.press("Keep")
	b.closed()
	has("changed,third,second")
	b.pressIn(".queue li:nth-child(2)", "Drop")
	b.press("Drop") // the question
	has("changed,second")
	b.do(script("location.hash = '#/fleet'"))
	b.says("2 queued")
	m.cupola("answer", "api.1", "--deny")
	enginetest.Eventually(t, testTimeout, func() bool {
		said := m.logged("prompt")
		return slices.Contains(said, "changed") && slices.Contains(said, "second")
	}, func() string { return strings.Join(m.logged("prompt"), "\n") })
	b.open("api.1")
	b.shows("document.querySelector('.pane') && !document.querySelector('.queue')")
	b.quiet()
}

// TestThePageOfAServerThatReadsShowsTheQueue offers nothing to do with it.
func TestThePageOfAServerThatReadsShowsTheQueue(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0", "--allow=reads")
	m.cupola("send", "api.1", "approve tool touch one")
	m.card("api", 1)
	m.cupola("queue", "api.1", "for later")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("1 queued")
	b.open("api.1")
	b.says("for later")
	b.shows("document.querySelectorAll('.queue button').length === 0")
	b.quiet()
}

// TestThePagePinsAndSnoozes marks agents: pinned ones come first, and snoozed ones are not in the inbox.
func TestThePagePinsAndSnoozes(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	m.cupola("send", "api.1", "approve tool touch one")
	m.card("api", 1)
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	first := func(words string) {
		t.Helper()
		b.do(script("location.hash = '#/fleet'"))
		b.shows(fmt.Sprintf("document.querySelector('[data-key=api] li')?.textContent.includes(%q)", words))
	}
	b.says("scr_1")
	first("1 scr_1")
	b.open("api.2")
	b.pressIn(".pane", "Pin")
	b.shows(`document.querySelector('.pane .heading').textContent.includes("pinned")`)
	first("2 scr_2")
	b.says("pinned")
	b.picture("pinned-phone")
	b.open("api.2")
	b.pressIn(".pane", "Unpin")
	b.shows(`!document.querySelector('.pane .heading').textContent.includes("pinned")`)
	b.open("api.1")
	b.pressIn(".pane", "Snooze")
	b.fill(map[string]string{"snooze": "2h"})
	b.press("Snooze")
	b.closed()
	b.says("snoozed until")
	first("2 scr_2")
	b.do(script("location.hash = '#/inbox'"))
	b.says("Nothing needs you")
	b.open("api.1")
	b.pressIn(".pane", "End snooze")
	first("1 scr_1")
	b.do(script("location.hash = '#/inbox'"))
	b.shows("document.querySelectorAll('.need').length === 1")
	b.quiet()
}
