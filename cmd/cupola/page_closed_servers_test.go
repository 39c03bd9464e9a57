//go:build servers

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"cupola/core/engine/enginetest"
)

// registration is the id of the only service worker.
func (b *browser) registration() serviceworker.RegistrationID {
	b.t.Helper()
	enabling := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, serviceworker.Enable, struct{}{})
		return err
	})
	updated := value(b, chromedp.WaitEvent(serviceworker.WorkerRegistrationUpdated,
		func(e serviceworker.EventWorkerRegistrationUpdated) bool { return len(e.Registrations) > 0 }, enabling))
	return updated.Registrations[0].RegistrationID
}

// clicks lets a test press Approve of a notification. The handlers of the service worker, whose source is given, run in
// the page. If open is true, this page is one of the clients. window.asked lists their requests to the browser.
const clicks = `window.click = (title, open) => {
	window.asked = [];
	const handlers = {};
	const here = {
		url: location.href, focus: async () => { asked.push("focus"); },
		postMessage: (data) => navigator.serviceWorker.dispatchEvent(new MessageEvent("message", { data })),
	};
	const self = {
		addEventListener: (type, handler) => { handlers[type] = handler; },
		clients: { matchAll: async () => open ? [here] : [], openWindow: async (url) => { asked.push("open " + url); } },
	};
	((self) => { %s })(self);
	window.ready = window.ready || navigator.serviceWorker.ready.then((one) => one.getNotifications());
	window.ready.then((all) => handlers.notificationclick({
		notification: { data: all.find((one) => one.title === title).data, close: () => asked.push("close") },
		action: "approve", waitUntil: () => {},
	}));
}`

// push delivers a message as a push service would.
func (b *browser) push(origin string, id serviceworker.RegistrationID, message string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
		Origin: origin, RegistrationID: id, Data: message,
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// notified are the notifications that are shown.
func (b *browser) notified() []string {
	return value(b, chromedp.Evaluate[[]string](`navigator.serviceWorker.ready.then((one) => one.getNotifications())
		.then((all) => all.map((one) => [one.title, one.body, ...one.actions.map((act) => act.title)].join("; ")).sort())`,
		chromedp.EvalAwaitPromise))
}

// TestThePageIsClosed delivers push messages while no page is open, and clicks what they show.
func TestThePageIsClosed(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1")
	b.shows("navigator.serviceWorker.controller !== null")
	id := b.registration()
	_, err := chromedp.CallBrowser(b.ctx, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		Permission: &cdpbrowser.PermissionDescriptor{Name: "notifications"}, Origin: server.url,
		Setting: cdpbrowser.PermissionSettingGranted,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate("about:blank"))
	m.cupola("send", "api.1", "approve tool touch one")
	m.cupola("send", "api.2", "approve tool touch two")
	first, second := m.card("api", 1), m.card("api", 2)
	for _, message := range []string{
		fmt.Sprintf(`{"id":%q,"title":"api.1","body":"touch one","answers":true,"card":%q}`, first, first),
		fmt.Sprintf(`{"id":%q,"title":"api.2","body":"touch two","answers":true,"card":%q}`, second, second),
		`{"id":"web.1","title":"web.1","card":"/elsewhere.example"}`, "no JSON",
		`{"id":"1","title":"api.3","body":"touch three","answers":true,"card":"#/inbox"}`,
		`{"kind":"over","id":"1","title":"Over: api.3","body":"touch three"}`,
	} {
		b.push(server.url, id, message)
	}
	b.do(chromedp.Navigate(server.url + "/#/usage"))
	b.says("Ceilings")
	want := []string{
		"Cupola; An agent needs you.", "api.1; touch one; Approve; Deny", "api.2; touch two; Approve; Deny",
		"web.1; An agent needs you.", // and no question that is over
	}
	var shown []string
	enginetest.Eventually(t, testTimeout, func() bool {
		shown = b.notified()
		return slices.Equal(shown, want)
	}, func() string { return strings.Join(shown, "\n") })
	b.do(script(fmt.Sprintf(clicks, server.get(t, "/worker.js"))))
	for title, card := range map[string]string{"api.1": first, "web.1": "#/inbox"} {
		b.do(script(fmt.Sprintf("click(%q, false)", title)))
		b.shows(fmt.Sprintf(`asked.join() === %q`, "close,open /"+card))
	}
	// A notification leads to its card, whichever comes first, and answers nothing.
	for _, card := range []string{first, second, second, first} {
		where := card[len("#/inbox/"):strings.Index(card, "@")]
		b.do(script("document.activeElement.blur()"))
		b.do(script(fmt.Sprintf("click(%q, true)", where)))
		b.shows(fmt.Sprintf("asked.join() === 'close,focus' && location.hash === %q", card))
		b.stands(fmt.Sprintf("[data-where='%s'] .approve", where)) // its dialog was read meanwhile
		b.shows(fmt.Sprintf("document.activeElement.matches('.need[data-where=%q]')", where))
		b.picture("notified-" + where)
	}
	for ordinal := 1; ordinal <= 2; ordinal++ {
		if state := m.stateOf("api", ordinal); state != "waiting" {
			t.Errorf("a click on the notification answers: api.%d is %s", ordinal, state)
		}
	}
	b.key("d")
	b.shows(`document.activeElement.matches('.approve')`)
	m.cupola("answer", "api.1", "--deny")
	b.shows(`document.querySelectorAll('.need .approve').length === 1`)
	b.do(script("location.hash = '#/usage'"))
	b.says("Ceilings")
	enginetest.Eventually(t, testTimeout, func() bool {
		shown = b.notified()
		return !slices.Contains(shown, want[1]) && slices.Contains(shown, want[2])
	}, func() string { return "the page keeps what is answered: " + strings.Join(shown, "\n") })
	b.do(script(`click("api.1", true)`))
	b.says("is not asked any more")
	b.quiet()
}

// card is the address of the card at which an agent is answered, as notifications have it.
func (m *machine) card(session string, ordinal int) string {
	m.t.Helper()
	row := fmt.Sprintf(".needs[] | select(.session == %q and .ordinal == %d) | .since", session, ordinal)
	var since string
	enginetest.Eventually(m.t, testTimeout, func() bool {
		since = mustAsk(m.t, row, m.cupola("attention"))
		return since != "null"
	}, func() string { return m.cupola("attention").stdout })
	at, err := time.Parse(time.RFC3339, since)
	if err != nil {
		m.t.Fatal(err)
	}
	return fmt.Sprintf("#/inbox/%s.%d@%d", session, ordinal, at.Unix())
}

// TestThePageTakesItsNotificationsBack answers an agent by the command line, while the open page notifies of its
// question.
func TestThePageTakesItsNotificationsBack(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	b := newBrowser(t)
	b.do(chromedp.Navigate(server.page))
	b.says("scr_1")
	b.do(script(`window.open = new Set(); window.Notification = class {
		static permission = "granted";
		constructor(title) { this.title = title; open.add(this); }
		close() { open.delete(this); }
	}`))
	m.cupola("send", "api.1", "approve tool touch one")
	m.cupola("send", "api.2", "approve tool touch two")
	const shown = "[...open].map((one) => one.title).sort().join()"
	b.shows(shown + " === 'api.1 needs you,api.2 needs you'")
	m.cupola("answer", "api.1", "--deny")
	b.shows(shown + " === 'api.2 needs you'")
	b.quiet()
}
