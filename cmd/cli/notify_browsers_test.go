package cli

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cupola/core/alert/notify"
	"cupola/core/alert/webpush"
	"cupola/core/record/server"
)

func TestABrowserIsNotifiedEncrypted(t *testing.T) {
	var got string
	service := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got = string(text)
	}))
	defer service.Close()
	sender, err := server.Records{Dir: t.TempDir()}.Pusher()
	if err != nil {
		t.Fatal(err)
	}
	sender.Client = service.Client()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	to := &webpush.Subscription{Endpoint: service.URL + "/secret-address"}
	to.Keys.P256dh = base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
	to.Keys.Auth = base64.RawURLEncoding.EncodeToString(make([]byte, 16))
	way := &toBrowser{server.Subscribed{Subscription: to}, sender}
	if strings.Contains(way.String(), "secret-address") {
		t.Errorf("its name is %q", way)
	}
	message := &notify.Message{Title: "api.1", Body: strings.Repeat("git push --force\n", 1000)}
	if _, err := way.Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if got == "" || strings.Contains(got, "git push") {
		t.Errorf("the service gets %q", got)
	}
}
