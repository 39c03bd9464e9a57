package webpush

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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
)

// subscriber is a browser with its keys.
type subscriber struct {
	private *ecdh.PrivateKey
	auth    []byte
	Subscription
}

func newSubscriber(t *testing.T, endpoint string) *subscriber {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &subscriber{private: private, auth: make([]byte, authBytes)}
	_, _ = rand.Read(s.auth)
	s.Endpoint = endpoint
	s.Keys.P256dh = encoding.EncodeToString(private.PublicKey().Bytes())
	s.Keys.Auth = encoding.EncodeToString(s.auth)
	return s
}

// open decrypts a message as a browser does.
func (s *subscriber) open(t *testing.T, message []byte) string {
	t.Helper()
	salt, rest := message[:saltBytes], message[saltBytes+4:]
	public, sealed := rest[1:1+int(rest[0])], rest[1+int(rest[0]):]
	theirs, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := s.private.ECDH(theirs)
	if err != nil {
		t.Fatal(err)
	}
	opener, nonce, err := sealerOf(shared, s.auth, salt, s.private.PublicKey().Bytes(), public)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := opener.Open(nil, nonce, sealed, nil)
	if err != nil || plain[len(plain)-1] != 2 {
		t.Fatalf("%v: %q", err, plain)
	}
	return string(plain[:len(plain)-1])
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
	browser := newSubscriber(t, service.URL+"/push/1")
	now := time.Unix(1_800_000_000, 0)
	if err := sender.Send(t.Context(), &browser.Subscription, []byte("git push --force"), now); err != nil {
		t.Fatal(err)
	}
	if text := browser.open(t, got); text != "git push --force" {
		t.Errorf("the browser reads %q", text)
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
	if err := sender.Send(t.Context(), &browser.Subscription, nil, now); !errors.Is(err, ErrGone) {
		t.Errorf("a browser that is gone gives %v", err)
	}
	status = http.StatusBadRequest
	err = sender.Send(t.Context(), &browser.Subscription, nil, now)
	if err == nil || strings.Contains(err.Error(), "/push/1") {
		t.Errorf("a refusal gives %v", err)
	}
	long := make([]byte, mostPayload+1)
	if _, err := Encrypt(&browser.Subscription, long); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("a message that is too long gives %v", err)
	}
}

func TestSubscriptionsAreOfPushServices(t *testing.T) {
	good := newSubscriber(t, "https://push.example.org/send/abc")
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
