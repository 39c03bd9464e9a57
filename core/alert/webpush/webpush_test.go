package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert/webpush/webpushtest"
)

// subscribed is the subscription of a browser at an address.
func subscribed(browser *webpushtest.Browser, endpoint string) *Subscription {
	s := &Subscription{Endpoint: endpoint}
	s.Keys.P256dh, s.Keys.Auth = browser.Keys()
	return s
}

// signed reports whether the header Authorization was signed with its own key, and returns the claims.
func signed(t *testing.T, header string) (claims map[string]any) {
	t.Helper()
	token, key, _ := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	point, err := encoding.DecodeString(key)
	if err != nil || len(parts) != 3 {
		t.Fatalf("%v: %q", err, header)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := encoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	r, v := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if err != nil || !ecdsa.Verify(public, sum[:], r, v) {
		t.Fatalf("%v: the signature is wrong", err)
	}
	text, err := encoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &claims) != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return claims
}

func TestAMessageReachesTheBrowserAlone(t *testing.T) {
	status := http.StatusCreated
	var got []byte
	var header http.Header
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		got, _ = io.ReadAll(r.Body)
		w.WriteHeader(status)
	}))
	defer service.Close()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	sender, err := NewSender(key)
	if err != nil {
		t.Fatal(err)
	}
	sender.Client = service.Client()
	browser := webpushtest.New(t)
	to := subscribed(browser, service.URL+"/push/1")
	now := time.Unix(1_800_000_000, 0)
	if err := sender.Send(t.Context(), to, Message{"api.1", []byte("git push --force")}, now); err != nil {
		t.Fatal(err)
	}
	if text := browser.Open(t, got); text != "git push --force" {
		t.Errorf("the browser reads %q", text)
	}
	if topic := header.Get("Topic"); len(topic) != 32 || strings.Contains(topic, "api") {
		t.Errorf("the topic is %q", topic)
	}
	if strings.Contains(string(got), "force") || header.Get("Content-Encoding") != "aes128gcm" ||
		header.Get("TTL") == "" {
		t.Errorf("the service got %q with %v", got, header)
	}
	claims := signed(t, header.Get("Authorization"))
	if claims["aud"] != service.URL || claims["exp"] != float64(now.Add(signedFor).Unix()) {
		t.Errorf("the claims are %v", claims)
	}
	status = http.StatusGone
	if err := sender.Send(t.Context(), to, Message{}, now); !errors.Is(err, ErrGone) {
		t.Errorf("a browser that is gone gives %v", err)
	}
	status = http.StatusBadRequest
	err = sender.Send(t.Context(), to, Message{}, now)
	if err == nil || strings.Contains(err.Error(), "/push/1") {
		t.Errorf("a refusal gives %v", err)
	}
	long := make([]byte, mostPayload+1)
	if _, err := Encrypt(to, long); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("a message that is too long gives %v", err)
	}
}

func TestSubscriptionsAreOfPushServices(t *testing.T) {
	good := subscribed(webpushtest.New(t), "https://push.example.org/send/abc")
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range []string{
		"", "http://push.example.org/x", "https://localhost/x", "https://127.0.0.1/x", "https://[::1]/x",
		"https://box/x", "https://user@push.example.org/x", "file:///etc/passwd",
		"https://push.example.org/" + strings.Repeat("x", mostEndpoint),
	} {
		bad := *good
		bad.Endpoint = endpoint
		if bad.Check() == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
	bad := *good
	bad.Keys.P256dh = bad.Keys.Auth
	if bad.Check() == nil {
		t.Error("a key that is none is taken")
	}
}
