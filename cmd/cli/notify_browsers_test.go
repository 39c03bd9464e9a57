package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/alert/notify"
	"cupola/core/alert/webpush"
	"cupola/core/alert/webpush/webpushtest"
	"cupola/core/record/server"
)

func TestABrowserIsNotifiedEncryptedAndToldWhatIsOver(t *testing.T) {
	var got []string
	var topics []string
	service := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, topics = append(got, string(text)), append(topics, r.Header.Get("Topic"))
	}))
	defer service.Close()
	sender, err := server.Records{Dir: t.TempDir()}.Pusher()
	if err != nil {
		t.Fatal(err)
	}
	sender.Client = service.Client()
	browser := webpushtest.New(t)
	to := &webpush.Subscription{Endpoint: service.URL + "/secret-address"}
	to.Keys.P256dh, to.Keys.Auth = browser.Keys()
	way := &toBrowser{server.Subscribed{Subscription: to}, sender}
	if strings.Contains(way.String()+way.Key(), "secret-address") {
		t.Errorf("its name is %q, its key %q", way, way.Key())
	}
	question := core.Alert{
		ID: "a1", Type: core.AlertApproval, Severity: core.SeverityWarning, Subject: "api.1", State: core.Waiting,
		Message: strings.Repeat("git push --force\n", 1000), FirstSeen: time.Unix(1_800_000_000, 0),
	}
	opts := notify.Options{
		Others: func() []notify.Way { return []notify.Way{way} }, Ledger: notify.Ledger{Dir: t.TempDir()},
		Describe: func(change *alert.Change) notify.About { return notify.About{Card: cardOf(&change.Alert)} },
	}
	for _, change := range []alert.Change{
		{Type: core.AlertRaised, Alert: question},
		{Type: core.AlertResolved, Alert: question},
		{Type: core.AlertResolved, Alert: question}, // it is withdrawn once
	} {
		n := notify.New(opts) // by another process each
		n.Changed(t.Context(), change)
		n.Wait()
	}
	if len(got) != 2 || topics[0] != topics[1] || strings.Contains(strings.Join(got, ""), "git push") {
		t.Fatalf("the service gets %q with %q", got, topics)
	}
	var messages [2]pushed
	for i, text := range got {
		if err := json.Unmarshal([]byte(browser.Open(t, []byte(text))), &messages[i]); err != nil {
			t.Fatal(err)
		}
	}
	asked, over := messages[0], messages[1]
	if asked.Kind != "" || asked.Card != "#/inbox/api.1@1800000000" || !asked.Answers ||
		!strings.HasPrefix(asked.Body, "git push --force") {
		t.Errorf("it is asked %+v", asked)
	}
	if over.Kind != kindOver || over.ID != asked.ID || over.ID == "" || over.Title != "Over: api.1" || over.Answers {
		t.Errorf("what is over is told as %+v, of %+v", over, asked)
	}
}
