//go:build servers

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestThePageIsOffline opens the page where its server has ended, and again once it runs.
func TestThePageIsOffline(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1")
	b.shows("navigator.serviceWorker.controller !== null")
	colour := func() string {
		return value(b, chromedp.Evaluate[string]("getComputedStyle(document.body).backgroundColor"))
	}
	usual := colour()
	m.cupola("serve-stop")
	b.do(chromedp.Navigate(server.url + "/#/inbox"))
	b.do(chromedp.Reload())
	b.says("The server cannot be reached.")
	b.picture("offline")
	if now := colour(); now != usual {
		t.Errorf("the ground is %s, not %s", now, usual)
	}
	m.serving(strings.TrimPrefix(server.url, "http://"))
	b.do(chromedp.Navigate(value(b, chromedp.Evaluate[string]("document.querySelector('a').href"))))
	b.says("scr_1")
}
