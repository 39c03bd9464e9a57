package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

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
	ways := make([]notify.Way, len(subscribed))
	for i := range subscribed {
		ways[i] = &toBrowser{subscribed[i], sender}
	}
	return ways
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

// Notify sends the question. The buttons of the notification lead to the page, where the answer is given.
func (b *toBrowser) Notify(ctx context.Context, m *notify.Message) (string, error) {
	short := m.Bounded(mostPushed)
	text, err := json.Marshal(map[string]any{
		"title": short.Title, "body": short.Body, "answers": m.Card.Approval, "card": m.Card.Place,
	})
	if err != nil {
		return "", err
	}
	err = b.sender.Send(ctx, b.Subscription, text, time.Now())
	if errors.Is(err, webpush.ErrGone) {
		b.End()
	}
	return "", err
}
