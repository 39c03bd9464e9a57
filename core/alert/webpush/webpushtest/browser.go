// Package webpushtest has a browser that takes push messages, for tests. It decrypts by RFC 8291 on its own.
package webpushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

// Browser has the keys of a subscription. New makes it.
type Browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

// The lengths of the secret, of a salt, and of the size of a record, in bytes.
const (
	authBytes = 16
	saltBytes = 16
	sizeBytes = 4
)

// New makes a browser with keys of its own.
func New(t testing.TB) *Browser {
	t.Helper()
	b := &Browser{auth: make([]byte, authBytes)}
	_, _ = rand.Read(b.auth) // it never fails
	var err error
	if b.private, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	return b
}

// Keys are the public key and the secret, as a subscription has them.
func (b *Browser) Keys() (p256dh, auth string) {
	encoding := base64.RawURLEncoding
	return encoding.EncodeToString(b.private.PublicKey().Bytes()), encoding.EncodeToString(b.auth)
}

// Open decrypts a message, and ends the test if it is for another browser.
func (b *Browser) Open(t testing.TB, message []byte) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(message) <= saltBytes+sizeBytes {
		t.Fatalf("no message: %q", message)
	}
	salt, rest := message[:saltBytes], message[saltBytes+sizeBytes:]
	public, sealed := rest[1:1+int(rest[0])], rest[1+int(rest[0]):]
	theirs, err := ecdh.P256().NewPublicKey(public)
	must(err)
	shared, err := b.private.ECDH(theirs)
	must(err)
	key := func(secret, salt []byte, info string, length int) []byte {
		t.Helper()
		derived, err := hkdf.Key(sha256.New, secret, salt, info, length)
		must(err)
		return derived
	}
	info := "WebPush: info\x00" + string(b.private.PublicKey().Bytes()) + string(public)
	secret := key(shared, b.auth, info, sha256.Size)
	block, err := aes.NewCipher(key(secret, salt, "Content-Encoding: aes128gcm\x00", 16))
	must(err)
	opener, err := cipher.NewGCM(block)
	must(err)
	plain, err := opener.Open(nil, key(secret, salt, "Content-Encoding: nonce\x00", 12), sealed, nil)
	if err != nil || plain[len(plain)-1] != 2 {
		t.Fatalf("%v: %q", err, plain)
	}
	return string(plain[:len(plain)-1])
}
