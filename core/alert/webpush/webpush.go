// Package webpush notifies browsers through their push services, also where no page is open: it encrypts messages for a
// browser alone (RFC 8291) and signs the requests with a key of this machine (VAPID, RFC 8292). It keeps nothing.
package webpush

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cupola/core"
)

const (
	// mostPayload is the most bytes of a message: push services take 4,096 in all.
	mostPayload = 3000
	// mostEndpoint bounds the address of a subscription, in bytes.
	mostEndpoint = 1024
	// authBytes and saltBytes are the lengths of the secret of a subscription and of a salt.
	authBytes = 16
	saltBytes = 16
	// recordSize is the size of the one record that a message is.
	recordSize = 4096
	// keepFor is how long a push service keeps a message for a browser that is away, in seconds.
	keepFor = "3600"
	// signedFor is how long a signature is valid; services take a day at most.
	signedFor = 12 * time.Hour
	// sendWithin is how long a push service may take.
	sendWithin = 10 * time.Second
)

var encoding = base64.RawURLEncoding

// Subscription is a browser that takes messages: the address at its push service, and what messages are encrypted with.
// It is as secret as a token: a process that has it can write to the browser.
type Subscription struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		// P256dh is the browser's public key, Auth a secret that it shares; both are base64url.
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
}

// Check returns InvalidInput for a subscription that no message can go to. An
// address begins with https:// and the name of a push service; addresses of this machine and its network are refused.
func (s *Subscription) Check() error {
	at, err := url.Parse(s.Endpoint)
	host := ""
	if err == nil {
		host = at.Hostname()
	}
	if err != nil || at.Scheme != "https" || len(s.Endpoint) > mostEndpoint || !strings.Contains(host, ".") ||
		net.ParseIP(host) != nil || at.User != nil {
		return core.Errorf(core.InvalidInput, "that is no address of a push service")
	}
	if _, _, err := s.secrets(); err != nil {
		return core.Errorf(core.InvalidInput, "the keys of the subscription cannot be used")
	}
	return nil
}

func (s *Subscription) secrets() (public *ecdh.PublicKey, auth []byte, err error) {
	point, err := encoding.DecodeString(strings.TrimRight(s.Keys.P256dh, "="))
	if err != nil {
		return nil, nil, err
	}
	if public, err = ecdh.P256().NewPublicKey(point); err != nil {
		return nil, nil, err
	}
	auth, err = encoding.DecodeString(strings.TrimRight(s.Keys.Auth, "="))
	if err == nil && len(auth) != authBytes {
		err = errors.New("bad length")
	}
	return public, auth, err
}

// NewKey makes a key of a machine, as text.
func NewKey() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return encoding.EncodeToString(der), err
}

// Sender sends messages that are signed with the key of this machine.
type Sender struct {
	key    *ecdsa.PrivateKey
	public string
	// Client makes the requests; nil is one that follows no redirects.
	Client *http.Client
}

// NewSender returns a sender with a key that NewKey made.
func NewSender(key string) (*Sender, error) {
	der, err := encoding.DecodeString(key)
	if err != nil {
		return nil, err
	}
	private, err := x509.ParseECPrivateKey(der)
	if err != nil {
		return nil, err
	}
	public, err := private.PublicKey.ECDH()
	if err != nil {
		return nil, err
	}
	return &Sender{key: private, public: encoding.EncodeToString(public.Bytes())}, nil
}

// Public is the public key, which browsers subscribe with.
func (s *Sender) Public() string { return s.public }

// client follows no redirects: a push service has none.
var client = &http.Client{
	Timeout:       sendWithin,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ErrGone is the error for a browser that takes no messages any more.
var ErrGone = errors.New("the browser takes no messages any more")

// Message is a message for a browser.
type Message struct {
	// Topic names the subject: a later message with the same topic takes the place of one that was not delivered yet.
	// Push services learn no more than whether two are equal.
	Topic string
	// Payload is the text that the browser decrypts, of at most mostPayload bytes.
	Payload []byte
}

// topic is how push services get the topic: they take 32 characters of base64url.
func (m *Message) topic() string {
	sum := sha256.Sum256([]byte(m.Topic))
	return encoding.EncodeToString(sum[:24])
}

// Send sends a message to a browser. It returns ErrGone for one that takes none any more.
func (s *Sender) Send(ctx context.Context, to *Subscription, m Message, now time.Time) error {
	body, err := Encrypt(to, m.Payload)
	if err != nil {
		return err
	}
	signature, err := s.signature(to.Endpoint, now)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, sendWithin)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address cannot be used")
	}
	r.Header.Set("Content-Encoding", "aes128gcm")
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("TTL", keepFor)
	r.Header.Set("Urgency", "high")
	r.Header.Set("Topic", m.topic())
	r.Header.Set("Authorization", "vapid t="+signature+", k="+s.public)
	by := s.Client
	if by == nil {
		by = client
	}
	response, err := by.Do(r)
	if err != nil {
		var within *url.Error // it repeats the address
		if errors.As(err, &within) {
			err = within.Err
		}
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	switch {
	case response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusGone:
		return ErrGone
	case response.StatusCode < 200 || response.StatusCode > 299:
		return fmt.Errorf("it answered with status %d", response.StatusCode)
	}
	return nil
}

// signature is the token that says which machine sends: a JWT for the origin of the push service.
func (s *Sender) signature(endpoint string, now time.Time) (string, error) {
	at, err := url.Parse(endpoint)
	if err != nil {
		return "", errors.New("its address cannot be used")
	}
	claims, err := json.Marshal(map[string]any{
		"aud": at.Scheme + "://" + at.Host, "exp": now.Add(signedFor).Unix(), "sub": "https://localhost",
	})
	if err != nil {
		return "", err
	}
	signed := encoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	r, v, err := ecdsa.Sign(rand.Reader, s.key, sum[:])
	if err != nil {
		return "", err
	}
	both := make([]byte, 64)
	r.FillBytes(both[:32])
	v.FillBytes(both[32:])
	return signed + "." + encoding.EncodeToString(both), nil
}

// Encrypt encrypts a message for a browser, in one record. It returns InvalidInput for one that is too long.
func Encrypt(to *Subscription, payload []byte) ([]byte, error) {
	if len(payload) > mostPayload {
		return nil, core.Errorf(core.InvalidInput, "a message for a browser has at most %d bytes", mostPayload)
	}
	theirs, auth, err := to.secrets()
	if err != nil {
		return nil, err
	}
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	shared, err := own.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	sealer, nonce, err := sealerOf(shared, auth, salt, theirs.Bytes(), own.PublicKey().Bytes())
	if err != nil {
		return nil, err
	}
	public := own.PublicKey().Bytes()
	message := binary.BigEndian.AppendUint32(bytes.Clone(salt), recordSize)
	message = append(append(message, byte(len(public))), public...)
	return sealer.Seal(message, nonce, append(bytes.Clone(payload), 2), nil), nil // 2 ends the last record
}

// sealerOf derives the cipher and the nonce of a message.
func sealerOf(shared, auth, salt, theirs, own []byte) (cipher.AEAD, []byte, error) {
	info := "WebPush: info\x00" + string(theirs) + string(own)
	secret, err := hkdf.Key(sha256.New, shared, auth, info, sha256.Size)
	if err != nil {
		return nil, nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	sealer, err := cipher.NewGCM(block)
	return sealer, nonce, err
}
