package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/alert"
	"cupola/core/alert/notify"
	"cupola/core/alert/webpush"
	"cupola/core/config"
	"cupola/core/git"
	"cupola/core/record/server"
	"cupola/core/system/shell"
	"cupola/core/text/secret"
	"cupola/core/verb"
)

// notifies returns the notifier that the settings describe. It uses the terminal if a person sees it.
func (w *wiring) notifies(s config.Notify, paths config.Paths) *notify.Notifier {
	opts := notifyOptions(s, paths, w.env.Log)
	if w.human && look.Terminal(w.opts.Stdout) {
		opts.Terminal = notify.Terminal{Out: w.opts.Stdout, Bell: s.Bell, InTmux: w.opts.Getenv("TMUX") != ""}
		if s.Terminal {
			opts.Terminal.Sequence = notify.SequenceOf(w.opts.Getenv)
		}
	}
	return notify.New(opts)
}

// notifyOptions returns the options of a notifier without a terminal, as the settings describe it.
func notifyOptions(s config.Notify, paths config.Paths, log *slog.Logger) notify.Options {
	opts, wrong := s.Options()
	for _, err := range wrong {
		log.Warn("a setting of notifications is not used", "error", err)
	}
	opts.Log, opts.Ledger, opts.Describe = log, notify.Ledger{Dir: config.Notified(paths)}, aboutAlert(paths)
	opts.Others = func() []notify.Way { return toBrowsers(paths) }
	if s.Away > 0 {
		opts.Away = func() bool { return away(paths, s.Away, time.Now()) }
	}
	return opts
}

// away reports whether no key was pressed in a dashboard for a while.
func away(paths config.Paths, least time.Duration, now time.Time) bool {
	info, err := os.Stat(config.Typed(paths))
	return err != nil || now.Sub(info.ModTime()) >= least
}

// aboutAlert returns what belongs to an alert: where the agent works, and how the alert is answered.
func aboutAlert(paths config.Paths) func(*alert.Change) notify.About {
	host, _ := os.Hostname() // a machine without a name is not named
	return func(change *alert.Change) notify.About {
		a := &change.Alert
		about := notify.About{Host: host, Folder: change.Folder, Branch: branchOf(change.Folder)}
		if a.State != core.Waiting || a.Session == "" {
			return about
		}
		about.Command, about.Card = answering(change), cardOf(a)
		record := reachable(paths)
		if record == nil {
			return about
		}
		about.Page = record.Public + "/" + about.Card.Place
		token, err := verb.Servers(paths).Token(record)
		if err != nil || !about.Card.Approval {
			return about
		}
		for _, answer := range []struct {
			label   string
			approve bool
		}{{"Approve", true}, {"Deny", false}} {
			pass := server.NewAnswer(token,
				server.Answer{Pane: a.Subject, Since: a.FirstSeen, Approve: answer.approve}, time.Now())
			about.Actions = append(about.Actions,
				notify.Action{Label: answer.label, URL: record.Public + "/answer/" + pass})
		}
		return about
	}
}

// cardOf is the card of an alert on the page. It leads to no other question of that agent.
func cardOf(a *core.Alert) notify.Card {
	return notify.Card{
		Place:    fmt.Sprintf("#/inbox/%s@%d", url.PathEscape(a.Subject), a.FirstSeen.Unix()),
		Approval: a.Type == core.AlertApproval,
	}
}

// mostShowing is the longest question, in bytes, that a command to approve repeats.
const mostShowing = 200

// answering is the command that answers an alert: it approves just what was asked, or it shows the question.
func answering(change *alert.Change) string {
	asks := change.Asks
	if change.Alert.Type != core.AlertApproval || asks == "" || len(asks) > mostShowing || secret.Mask(asks) != asks ||
		strings.ContainsFunc(asks, unicode.IsControl) {
		return shell.Line("cupola", "answer", change.Alert.Subject, "--dry-run")
	}
	return shell.Line("cupola", "answer", change.Alert.Subject, "--approve", "--showing="+asks)
}

// reachable is a server that a phone can reach; nil if there is none. Its Public is set.
func reachable(paths config.Paths) *server.Record {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	running, err := verb.Servers(paths).Running(ctx)
	if err != nil {
		return nil
	}
	for i := range running {
		record := &running[i]
		if record.Public != "" {
			return record
		}
		at, err := url.Parse(record.URL)
		if err != nil || record.OnBus() || at.Hostname() == "localhost" {
			continue
		}
		if ip := net.ParseIP(at.Hostname()); ip == nil || !ip.IsLoopback() {
			record.Public = record.URL
			return record
		}
	}
	return nil
}

// branchOf is the branch of git that a folder is on; empty if that is not known at once.
func branchOf(folder string) string {
	if folder == "" {
		return ""
	}
	ask := git.Command{Dir: folder, Environ: os.Environ(), Within: time.Second}
	branch, err := ask.Line(context.Background(), "branch", "--show-current")
	if err != nil {
		return ""
	}
	return branch
}

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
