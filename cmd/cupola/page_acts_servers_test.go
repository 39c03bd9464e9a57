//go:build servers

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// point is a place on the page.
type point struct{ X, Y float64 }

// middle is where a button is.
func (b *browser) middle(selector string) point {
	b.t.Helper()
	return value(b, chromedp.Evaluate[point](fmt.Sprintf(
		"(({x, y, width, height}) => ({X: Math.round(x + width / 2), Y: Math.round(y + height / 2)}))"+
			"(document.querySelector(%q).getBoundingClientRect())", selector)))
}

// stateOf is the state of an agent.
func (m *machine) stateOf(session string, ordinal int) string {
	m.t.Helper()
	return mustAsk(m.t, fmt.Sprintf(".panes[] | select(.ordinal == %d) | .state", ordinal),
		m.cupola("status", "--session="+session))
}

// holds lets a test hold the page's calls back, with hold, and let them through again, with release. Answers to dialogs
// are never held back. window.flying counts the calls that are under way.
const holds = `{
	const real = window.fetch;
	let held = null;
	window.flying = 0;
	window.fetch = async (path, how = {}) => {
		if (String(path).includes("/live")) return real(path, how);
		if (held && !String(how.body).includes('"dialog"')) await new Promise((go) => held.push(go));
		window.flying++;
		try {
			const answer = await real(path, how);
			await answer.clone().text();
			return answer;
		} finally {
			window.flying--;
		}
	};
	window.hold = () => { held = []; };
	window.release = () => { const all = held; held = null; all.forEach((go) => go()); };
}`

// shows waits until an expression is true of the page.
func (b *browser) shows(expression string) {
	b.t.Helper()
	b.do(chromedp.Poll[chromedp.Void](expression))
}

// TestThePageActsOnWhatWasSeen plays what hit the wrong agent or the wrong question. How long the machine takes for a
// step must not matter: a button that was seen for long enough acts, as it should.
func TestThePageActsOnWhatWasSeen(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1") // the tiles, which have addresses, are hidden on a phone
	b.do(script(holds))
	approveOf := func(pane string) string { return `[data-where="` + pane + `"] .approve` }
	m.cupola("send", "api.1", "approve tool touch one")
	t.Run("letters of a filter", func(t *testing.T) {
		for _, from := range []string{"#/inbox", "", "#/usage", "#/pane/api.1"} {
			b.do(script("location.hash = '" + from + "'"))
			if from == "#/inbox" {
				b.stands(approveOf("api.1"))
			}
			for _, key := range []string{"/", "o", "d", "d", kb.Enter} {
				b.key(key)
			}
			b.do(chromedp.Poll[chromedp.Void]("document.getElementById('filter') === null"))
			if state := m.stateOf("api", 1); state != "waiting" {
				t.Errorf("from %q: api.1 is %s", from, state)
			}
			b.key(kb.Escape)
		}
		said := value(b, chromedp.Evaluate[string]("document.getElementById('said').textContent"))
		if strings.Contains(said, "Approved") {
			t.Error(said)
		}
	})
	t.Run("keys while another place is drawn", func(t *testing.T) {
		for _, letters := range []string{
			"wd" + kb.Enter, "1d" + kb.Enter, "dd" + kb.Enter, "wdd" + kb.Enter + kb.Enter,
		} {
			b.do(script("location.hash = '#/usage'"))
			b.says("Ceilings")
			b.do(script("hold()"))
			b.key(letters)
			b.do(script("release()"))
			b.says("waiting (approval)") // of the inbox, or of the fleet
			if state := m.stateOf("api", 1); state != "waiting" {
				t.Fatalf("%q: api.1 is %s", letters, state)
			}
		}
	})
	b.quiet()
}

// TestThePageKeepsWhatIsAimedAt answers in a terminal what the user of the page is about to answer.
func TestThePageKeepsWhatIsAimedAt(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1")
	b.do(script(holds))
	approveOf := func(pane string) string { return `[data-where="` + pane + `"] .approve` }
	m.cupola("send", "api.1", "approve tool touch one")
	m.cupola("send", "api.2", "approve tool touch two")
	gone := fmt.Sprintf("document.querySelector(%q) === null", approveOf("api.1"))
	t.Run("a card under the pointer", func(t *testing.T) {
		b.do(script("location.hash = '#/inbox'"))
		b.stands(approveOf("api.1"))
		b.stands(approveOf("api.2"))
		aimed, other := b.middle(approveOf("api.1")), b.middle(approveOf("api.2"))
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, aimed.X, aimed.Y))
		m.cupola("answer", "api.1", "--deny")
		b.shows(gone)
		b.says("api.1 needs nothing any more")
		if now := b.middle(approveOf("api.2")); now != other {
			t.Errorf("the card of api.2 moved from %+v to %+v", other, now)
		}
		b.do(chromedp.MouseClickXY(aimed.X, aimed.Y))
		if state := m.stateOf("api", 2); state != "waiting" {
			t.Fatalf("api.2 is %s", state)
		}
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, 5, 5))
		b.shows("document.querySelector('.need.gone') === null")
		if now := b.middle(approveOf("api.2")); now != aimed {
			t.Errorf("the card of api.2 is at %+v, not at %+v", now, aimed)
		}
	})
	m.cupola("send", "api.1", "approve tool touch four")
	t.Run("a card that moves under the finger", func(t *testing.T) {
		b.stands(approveOf("api.1"))
		b.stands(approveOf("api.2"))
		first, second := "api.1", "api.2"
		if b.middle(approveOf(first)).Y > b.middle(approveOf(second)).Y {
			first, second = second, first
		}
		aimed := b.middle(approveOf(first))
		// The finger comes down in the moment in which the card has gone.
		b.do(script(fmt.Sprintf(`window.tapped = new Promise((done) => new MutationObserver((_, observer) => {
			if (document.querySelector(%q)) return;
			observer.disconnect();
			const hit = document.elementFromPoint(%v, %v);
			hit.click();
			done(hit.textContent);
		}).observe(main, { subtree: true, childList: true }))`, approveOf(first), aimed.X, aimed.Y)))
		m.cupola("answer", first, "--deny")
		if hit := value(b, chromedp.Evaluate[string]("window.tapped", chromedp.EvalAwaitPromise)); hit != "Approve" {
			t.Fatalf("the tap hit %q", hit)
		}
		b.says("just come or moved")
		ordinal := int(second[len(second)-1] - '0')
		if state := m.stateOf("api", ordinal); state != "waiting" {
			t.Fatalf("%s is %s", second, state)
		}
		m.cupola("answer", second, "--deny")
		b.says("Nothing needs you")
	})
	m.cupola("send", "api.2", "approve tool touch two")
	t.Run("another question", func(t *testing.T) {
		b.stands(approveOf("api.2"))
		// What the page shows stays, as in a tab that lost its connection.
		b.do(script("hold()"))
		b.shows("window.flying === 0")
		b.stands(approveOf("api.2"))
		m.cupola("answer", "api.2", "--deny")
		m.cupola("send", "api.2", "approve tool touch three")
		b.do(chromedp.Click(approveOf("api.2")))
		b.says("its dialog is not the one")
		if state := m.stateOf("api", 2); state != "waiting" {
			t.Errorf("api.2 is %s", state)
		}
		b.forget() // the refusal
		b.do(chromedp.Reload())
		b.do(script("location.hash = '#/inbox'"))
		b.stands(approveOf("api.2"))
		b.do(chromedp.Click(approveOf("api.2")))
		b.says("Nothing needs you")
	})
	t.Run("a shell of a server without commands", func(t *testing.T) {
		b.open("web.1")
		b.says("this server runs none")
		if value(b, chromedp.Evaluate[bool]("document.querySelector('#prompt, .keys') !== null")) {
			t.Error("it offers to type")
		}
	})
	b.quiet()
}

// TestThePageOfAServerThatReads shows a dialog and offers no answer.
func TestThePageOfAServerThatReads(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0", "--allow=reads")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(server.page))
	b.says("scr_1")
	m.cupola("send", "api.1", "approve tool git push --force")
	b.do(script("location.hash = '#/inbox'"))
	b.says("$ git push --force")
	b.picture("reads-inbox")
	offers := func(place string, harmless ...string) {
		t.Helper()
		shown := value(b, chromedp.Evaluate[[]string]("[...main.querySelectorAll('button, textarea, input')]"+
			".filter((one) => one.checkVisibility()).map((one) => one.textContent || one.tagName)"))
		if !slices.Equal(shown, harmless) {
			t.Errorf("%s offers %q", place, shown)
		}
	}
	offers("the inbox")
	b.open("api.2")
	b.picture("reads-pane")
	offers("a pane", "INPUT", "Wrap lines", "Earlier output")
	b.do(script("location.hash = '#/fleet'"))
	b.shows("document.querySelector('main > .fleet') !== null")
	offers("the fleet")
	b.quiet()
}
