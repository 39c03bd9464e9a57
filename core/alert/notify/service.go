package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"cupola/core"
)

// Service is a service that notifies the user over the network: its kind, and the address that gets one POST for each
// notification.
type Service struct {
	kind string
	url  *url.URL
}

// request is one request to a service: its method (empty is POST), its address, its body (nil is none), and the header
// Authorization (empty is none).
type request struct {
	method, url, authorization string
	body                       any
}

// form is how a kind of service is spoken to.
type form struct {
	// example is a service in the words of the settings.
	example string
	// post makes the request that sends a message.
	post func(*url.URL, *Message) (request, error)
	// id reads the id of the sent message from the service's answer, and withdraw makes the request that withdraws
	// that message or marks it as over. Both are nil where a service has no such request.
	id       func(answer []byte) string
	withdraw func(at *url.URL, id string, m *Message) (request, error)
}

// forms are the kinds of services.
var forms = map[string]form{
	"ntfy": {
		example: "ntfy:https://ntfy.sh/TOPIC, or ntfy:https://:TOKEN@HOST/TOPIC",
		post:    ntfy, id: idAt("id"), withdraw: ntfyClear,
	},
	"slack": {example: "slack:https://hooks.slack.com/services/T/B/SECRET", post: slack},
	"discord": {
		example: "discord:https://discord.com/api/webhooks/ID/SECRET",
		post:    discord, id: idAt("id"), withdraw: discordEdit,
	},
	"telegram": {
		example: "telegram:https://api.telegram.org/botTOKEN?chat=ID",
		post:    telegram, id: idAt("result", "message_id"), withdraw: telegramEdit,
	},
	"gotify":  {example: "gotify:https://HOST/?token=TOKEN", post: gotify},
	"webhook": {example: "webhook:https://HOST/PATH", post: webhook},
}

// serviceKinds are the kinds of services.
func serviceKinds() []string { return slices.Sorted(maps.Keys(forms)) }

// ParseService reads a service: its kind, a colon, and its address. It returns InvalidInput for anything else; no error
// has the address, which may hold a secret.
func ParseService(text string) (Service, error) {
	kind, address, _ := strings.Cut(text, ":")
	spoken, known := forms[kind]
	if !known {
		e := core.Errorf(core.InvalidInput, "no kind of service: %q", core.Cut(kind))
		e.Hint = "A service is KIND:https://…, and KIND is " + strings.Join(serviceKinds(), ", ") + "."
		return Service{}, e
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" {
		return Service{}, &core.Error{
			Code: core.InvalidInput, Message: kind + " needs an address that begins with https:// or http://",
			Hint: "For example: " + spoken.example + ".",
		}
	}
	s := Service{kind, at}
	if _, err := spoken.post(at, &Message{}); err != nil {
		return Service{}, &core.Error{
			Code: core.InvalidInput, Message: kind + ": " + err.Error(), Hint: "For example: " + spoken.example + ".",
		}
	}
	return s, nil
}

// String names a service without what is secret.
func (s Service) String() string { return s.kind + " at " + s.url.Host }

// client follows no redirects: the address may hold a secret that is for its host alone.
var client = &http.Client{
	Timeout:       commandWithin,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Notify sends a message, and returns its id there; empty if it cannot be withdrawn.
func (s Service) Notify(ctx context.Context, m *Message) (string, error) {
	asked, err := forms[s.kind].post(s.url, m)
	if err != nil {
		return "", err
	}
	answer, err := do(ctx, asked)
	if err != nil || forms[s.kind].id == nil {
		return "", err
	}
	return forms[s.kind].id(answer), nil
}

// Withdraw withdraws a message that Notify returned the id of, or marks it as over.
func (s Service) Withdraw(ctx context.Context, id string, m *Message) error {
	asked, err := forms[s.kind].withdraw(s.url, id, m)
	if err == nil {
		_, err = do(ctx, asked)
	}
	return err
}

// Key distinguishes ways on record; no secret can be read from it.
func (s Service) Key() string { return KeyOf(s.kind + ":" + s.url.String()) }

// KeyOf is the key of a way with a secret address.
func KeyOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// mostAnswer is how many bytes of a service's answer are read.
const mostAnswer = 1 << 16

// do sends a request and returns the answer's body, cut to mostAnswer.
func do(ctx context.Context, asked request) ([]byte, error) {
	var body []byte
	if asked.body != nil {
		var err error
		if body, err = json.Marshal(asked.body); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, commandWithin)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, cmp.Or(asked.method, http.MethodPost), asked.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("its address cannot be used")
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
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, fmt.Errorf("it answered with status %d", response.StatusCode)
	}
	return answer, nil
}

// idAt returns a reader of an answer's string or number at a path of names; it reads nothing longer than 64 bytes and
// nothing with another character than letters, digits, - and _, because it becomes part of an address.
func idAt(names ...string) func([]byte) string {
	return func(answer []byte) string {
		for _, name := range names {
			var within map[string]json.RawMessage
			if json.Unmarshal(answer, &within) != nil {
				return ""
			}
			answer = within[name]
		}
		id := strings.Trim(string(answer), `"`)
		if len(id) > 64 || strings.ContainsFunc(id, func(r rune) bool {
			return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
		}) {
			return ""
		}
		return id
	}
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
	actions := core.Map(m.Actions, func(action Action) object {
		return object{
			"action": "http", "label": action.Label, "url": action.URL, "method": http.MethodPost, "clear": true,
		}
	})
	if len(actions) > 0 {
		body["actions"] = actions
	}
	return ntfyRequest(at, "", "", body), nil
}

// ntfyRequest is a request to the server of a topic.
func ntfyRequest(at *url.URL, method, path string, body any) request {
	r := request{
		method: method, body: body, url: (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: path}).String(),
	}
	if secret, has := at.User.Password(); has {
		r.authorization = "Bearer " + secret
	}
	return r
}

// ntfyClear marks a message as read and removes its notification from devices, which ntfy has since 2.16.
func ntfyClear(at *url.URL, id string, _ *Message) (request, error) {
	return ntfyRequest(at, http.MethodPut, "/"+strings.Trim(at.Path, "/")+"/"+id+"/clear", nil), nil
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
	to := *at
	query := to.Query()
	query.Set("wait", "true") // so that it answers with the message
	to.RawQuery = query.Encode()
	return request{url: to.String(), body: discordBody(m)}, nil
}

func discordBody(m *Message) object {
	return object{
		"content": bounded(m.Title+"\n"+m.text(), mostDiscord), "allowed_mentions": object{"parse": []string{}},
	}
}

// discordEdit replaces the text of a message.
func discordEdit(at *url.URL, id string, m *Message) (request, error) {
	return request{method: http.MethodPatch, url: at.JoinPath("messages", id).String(), body: discordBody(m)}, nil
}

func telegram(at *url.URL, m *Message) (request, error) {
	return telegramRequest(at, "sendMessage", "", m)
}

// telegramEdit replaces the text of a message.
func telegramEdit(at *url.URL, id string, m *Message) (request, error) {
	return telegramRequest(at, "editMessageText", id, m)
}

// telegramRequest calls a method of a bot, about a message if it has an id.
func telegramRequest(at *url.URL, method, id string, m *Message) (request, error) {
	chat := at.Query().Get("chat")
	if chat == "" || !strings.Contains(at.Path, "/bot") {
		return request{}, errors.New("its address has no bot, or no chat")
	}
	body := object{"chat_id": chat, "text": bounded(m.Title+"\n"+m.text(), mostTelegram)}
	if id != "" {
		body["message_id"] = json.Number(id)
	}
	to := url.URL{Scheme: at.Scheme, Host: at.Host, Path: strings.TrimRight(at.Path, "/") + "/" + method}
	return request{url: to.String(), body: body}, nil
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
