//go:build servers

package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The page shows and drives other hosts; one that is lost holds up no other.
func TestThePageShowsOtherHosts(t *testing.T) {
	m := newMachine(t)
	m.addHosts("gpu1", "gpu2")
	for _, session := range []string{"here", "gpu1/api", "gpu2/web"} {
		if got := m.cupola("spawn", session, "--agents=scripted=1"); got.status != 0 {
			t.Fatalf("spawn %s: %+v", session, got)
		}
		t.Cleanup(func() { m.cupola("kill", session, "--yes") })
	}
	back := m.loseHost("gpu2")
	server := m.serving("127.0.0.1:0")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(server.page))
	for _, text := range []string{"here.1", "gpu1/api.1", "host gpu2"} {
		b.says(text)
	}
	b.picture("page-hosts")
	back()
	b.says("gpu2/web.1")
	b.forget() // what the host that was lost did not answer
	b.open("gpu1/api.1")
	b.do(chromedp.SendKeys("#prompt", "approve touch zz"))
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl)))
	b.says("Sent to gpu1/api.1")
	b.says("waiting (approval)")
	b.picture("page-hosts-pane")
	b.do(script("document.activeElement.blur()"))
	b.key("w")
	b.says("Approve")
	b.stands(".approve")
	b.key("d")
	b.key(kb.Enter)
	b.says("Nothing needs you")
	b.key("1")
	b.says("gpu2/web.1")
	b.quiet()
}
