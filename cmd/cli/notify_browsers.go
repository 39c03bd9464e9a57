package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"cupola/core"
	"cupola/core/alert/notify"
	"cupola/core/alert/webpush"
	"cupola/core/config"
	"cupola/core/record/server"
	"cupola/core/verb"
)

// mostPushed bounds the title and the text of a notification of a browser, in characters.
const mostPushed = 300

// toBrowsers returns the browsers that take notifications, as ways to notify.
func toBrowsers(paths config.Paths) []notify.Way {
	servers := verb.Servers(paths)
	subscribed := servers.Subscribed(time.Now)
	if len(subscribed) == 0 {
		return nil
	}
	sender, err := servers.Pusher()
	if err != nil {
		return nil
	}
	return core.Map(subscribed, func(s server.Subscribed) notify.Way { return &toBrowser{s, sender} })
}

// toBrowser notifies a browser, also where no page is open.
type toBrowser struct {
	server.Subscribed
	sender *webpush.Sender
}

// String names the push service of the browser.
func (b *toBrowser) String() string {
	at, err := url.Parse(b.Endpoint)
	if err != nil {
		return "a browser"
	}
	return "a browser at " + at.Host
}

// Key distinguishes browsers on record.
func (b *toBrowser) Key() string { return notify.KeyOf(b.Endpoint) }

// pushed is a message for the service worker of the page.
type pushed struct {
	// Kind is kindOver for the withdrawal of the message with this ID, and empty for a message.
	Kind string `json:"kind,omitempty"`
	// ID is of the question; two questions of an agent have two.
	ID    string `json:"id"`
	Title string `json:"title"`
	Body  string `json:"body"`
	// Answers is true if it is approved or denied, Card the place of its card on the page.
	Answers bool   `json:"answers"`
	Card    string `json:"card"`
}

// kindOver is the kind of a withdrawal.
const kindOver = "over"

// Notify sends the question. The buttons of the notification lead to the page, where the answer is given.
func (b *toBrowser) Notify(ctx context.Context, m *notify.Message) (string, error) {
	short := m.Bounded(mostPushed)
	id := cmp.Or(m.Card.Place, short.Title)
	return id, b.push(ctx, &pushed{
		ID: id, Title: short.Title, Body: short.Body, Answers: m.Card.Approval, Card: m.Card.Place,
	})
}

// Withdraw replaces the question where it was not delivered yet, and lets the service worker take it back otherwise.
func (b *toBrowser) Withdraw(ctx context.Context, id string, m *notify.Message) error {
	short := m.Bounded(mostPushed)
	return b.push(ctx, &pushed{Kind: kindOver, ID: id, Title: short.Title, Body: short.Body})
}

// push sends a message, and forgets a browser that takes none any more.
func (b *toBrowser) push(ctx context.Context, p *pushed) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	err = b.sender.Send(ctx, b.Subscription, webpush.Message{Topic: p.ID, Payload: text}, time.Now())
	if errors.Is(err, webpush.ErrGone) {
		b.End()
	}
	return err
}
