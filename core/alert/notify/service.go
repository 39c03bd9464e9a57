package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// Service is a service that notifies the user over the network: its kind, and the address that gets one POST for each
// notification.
type Service struct {
	kind string
	url  *url.URL
}

// request is the POST to a service: its address, its body, and the header Authorization; empty for none.
type request struct {
	url, authorization string
	body               any
}

// services makes the request of each kind of service.
var services = map[string]func(*url.URL, *Message) (request, error){
	"ntfy": ntfy, "slack": slack, "discord": discord, "telegram": telegram, "gotify": gotify, "webhook": webhook,
}

// ServiceKinds are the kinds of services.
func ServiceKinds() []string {
	var kinds []string
	for kind := range services {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// ParseService reads a service: its kind, a colon, and its address. It returns InvalidInput for anything else; no error
// has the address, which may hold a secret.
func ParseService(text string) (Service, error) {
	kind, address, _ := strings.Cut(text, ":")
	if services[kind] == nil {
		e := core.Errorf(core.InvalidInput, "no kind of service: %q", core.Cut(kind))
		e.Hint = "A service is KIND:https://…, and KIND is " + strings.Join(ServiceKinds(), ", ") + "."
		return Service{}, e
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" {
		return Service{}, &core.Error{
			Code: core.InvalidInput, Message: kind + " needs an address that begins with https:// or http://",
			Hint: "For example: " + examples[kind] + ".",
		}
	}
	s := Service{kind, at}
	if _, err := services[kind](at, &Message{}); err != nil {
		return Service{}, &core.Error{
			Code: core.InvalidInput, Message: kind + ": " + err.Error(), Hint: "For example: " + examples[kind] + ".",
		}
	}
	return s, nil
}

// examples are addresses of each kind.
var examples = map[string]string{
	"ntfy":     "ntfy:https://ntfy.sh/TOPIC, or ntfy:https://:TOKEN@HOST/TOPIC",
	"slack":    "slack:https://hooks.slack.com/services/T/B/SECRET",
	"discord":  "discord:https://discord.com/api/webhooks/ID/SECRET",
	"telegram": "telegram:https://api.telegram.org/botTOKEN?chat=ID",
	"gotify":   "gotify:https://HOST/?token=TOKEN",
	"webhook":  "webhook:https://HOST/PATH",
}

// String names a service without what is secret.
func (s Service) String() string { return s.kind + " at " + s.url.Host }

// client follows no redirects: the address may hold a secret that is for its host alone.
var client = &http.Client{
	Timeout:       commandWithin,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send notifies by a service.
func (s Service) send(ctx context.Context, m *Message) error {
	asked, err := services[s.kind](s.url, m)
	if err != nil {
		return err
	}
	body, err := json.Marshal(asked.body)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, commandWithin)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, asked.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	if asked.authorization != "" {
		r.Header.Set("Authorization", asked.authorization)
	}
	response, err := client.Do(r)
	if err != nil {
		var within *url.Error // it repeats the address
		if errors.As(err, &within) {
			err = within.Err
		}
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // so that the connection can be used again
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("it answered with status %d", response.StatusCode)
	}
	return nil
}

// object is a JSON object of a service.
type object = map[string]any

func ntfy(at *url.URL, m *Message) (request, error) {
	topic := strings.Trim(at.Path, "/")
	if topic == "" || strings.Contains(topic, "/") {
		return request{}, errors.New("its address ends with one topic")
	}
	priority := 3
	switch m.Severity {
	case core.SeverityCritical:
		priority = 5
	case core.SeverityError, core.SeverityWarning:
		priority = 4
	}
	body := object{"topic": topic, "title": m.Title, "message": m.Body, "priority": priority}
	if m.Page != "" {
		body["click"] = m.Page
	}
	var actions []object
	for _, action := range m.Actions {
		actions = append(actions, object{
			"action": "http", "label": action.Label, "url": action.URL, "method": http.MethodPost, "clear": true,
		})
	}
	if len(actions) > 0 {
		body["actions"] = actions
	}
	r := request{url: (&url.URL{Scheme: at.Scheme, Host: at.Host}).String(), body: body}
	if secret, has := at.User.Password(); has {
		r.authorization = "Bearer " + secret
	}
	return r, nil
}

func slack(at *url.URL, m *Message) (request, error) {
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	text := "*" + plain.Replace(m.Title) + "*\n" + plain.Replace(m.text())
	return request{url: at.String(), body: object{"text": text}}, nil
}

// mostDiscord is the most characters that Discord takes, and mostTelegram those that Telegram does.
const (
	mostDiscord  = 2000
	mostTelegram = 4096
)

func discord(at *url.URL, m *Message) (request, error) {
	return request{url: at.String(), body: object{
		"content": bounded(m.Title+"\n"+m.text(), mostDiscord), "allowed_mentions": object{"parse": []string{}},
	}}, nil
}

func telegram(at *url.URL, m *Message) (request, error) {
	chat := at.Query().Get("chat")
	if chat == "" || !strings.Contains(at.Path, "/bot") {
		return request{}, errors.New("its address has no bot, or no chat")
	}
	to := url.URL{Scheme: at.Scheme, Host: at.Host, Path: strings.TrimRight(at.Path, "/") + "/sendMessage"}
	return request{url: to.String(), body: object{
		"chat_id": chat, "text": bounded(m.Title+"\n"+m.text(), mostTelegram),
	}}, nil
}

func gotify(at *url.URL, m *Message) (request, error) {
	if at.Query().Get("token") == "" {
		return request{}, errors.New("its address has no token")
	}
	to := *at
	to.Path, to.RawQuery = strings.TrimRight(at.Path, "/")+"/message", ""
	priority := map[core.Severity]int{core.SeverityCritical: 10, core.SeverityError: 8}[m.Severity]
	return request{url: to.String() + "?token=" + url.QueryEscape(at.Query().Get("token")), body: object{
		"title": m.Title, "message": m.text(), "priority": max(priority, 5),
	}}, nil
}

func webhook(at *url.URL, m *Message) (request, error) {
	return request{url: at.String(), body: m.Event}, nil
}

// bounded is a text of at most so many characters.
func bounded(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Window is a part of each day, in local time; the zero value is none.
type Window struct{ from, to time.Duration }

// ParseWindow reads HH:MM-HH:MM; empty is none.
func ParseWindow(text string) (Window, error) {
	if text == "" {
		return Window{}, nil
	}
	from, to, _ := strings.Cut(text, "-")
	begin, err := time.Parse("15:04", strings.TrimSpace(from))
	end, endErr := time.Parse("15:04", strings.TrimSpace(to))
	if err = errors.Join(err, endErr); err != nil || begin.Equal(end) {
		return Window{}, &core.Error{
			Code: core.InvalidInput, Message: "no hours of a day: " + core.Cut(text), Hint: "For example: 22:00-07:00.",
		}
	}
	day := func(at time.Time) time.Duration {
		return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	}
	return Window{day(begin), day(end)}, nil
}

// Has reports whether a time lies in it.
func (w Window) Has(at time.Time) bool {
	day := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	if w.from < w.to {
		return day >= w.from && day < w.to
	}
	return w.from != w.to && (day >= w.from || day < w.to)
}

// KnowsType reports whether a word is a type of alerts or a group of them.
func KnowsType(word string) bool {
	return slices.ContainsFunc(core.AlertKinds, func(kind core.AlertKind) bool {
		return word != "" && (string(kind.Type) == word || kind.Group == word)
	})
}
