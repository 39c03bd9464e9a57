package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert/webpush"
	"cupola/core/system/plainfile"
)

const (
	// secretFile holds what the tokens of all servers of a user are made of. It opens no server itself.
	secretFile = "secret"
	// pushFile holds the key with which notifications for browsers are signed.
	pushFile = "push-key"
	// secretBytes is how many random bytes that is.
	secretBytes = 24
	// passFor is how long an unused pass is valid.
	passFor = 10 * time.Minute
	// passSkew is how much further than that the end of a pass may lie.
	passSkew = time.Minute
)

// NewSecret returns a secret that cannot be guessed.
func NewSecret() string {
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random) // it never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// Token returns the token that clients show to a server that listens. It is derived from the server's address and
// limits: a server that is started again with both unchanged has the same token, and another server's token cannot be
// derived from it.
func (b Records) Token(r *Record) (string, error) {
	secret, err := b.secret()
	if err != nil {
		return "", err
	}
	return signature(secret, "token "+r.scope()), nil
}

// scope is an address with its limits.
func (r *Record) scope() string {
	text, _ := json.Marshal([]any{r.URL, r.Allow, r.Sessions, r.Hosts}) // strings can be encoded
	return string(text)
}

// secret returns what tokens are made of, and makes it first where there is none.
func (b Records) secret() (string, error) {
	return b.kept(secretFile, func() (string, error) { return NewSecret(), nil })
}

// Pusher returns what notifies browsers, with the key of this machine, which is made first where there is none.
func (b Records) Pusher() (*webpush.Sender, error) {
	key, err := b.kept(pushFile, webpush.NewKey)
	if err != nil {
		return nil, err
	}
	sender, err := webpush.NewSender(key)
	if err != nil {
		return nil, core.Errorf(core.IOError, "%s holds no key; remove it", filepath.Join(b.Dir, pushFile))
	}
	return sender, nil
}

// kept returns the secret in a file, and makes it first where there is none.
func (b Records) kept(name string, newSecret func() (string, error)) (string, error) {
	path := filepath.Join(b.Dir, name)
	known, err := plainfile.Read(path, plainfile.Record)
	if secret := strings.TrimSpace(string(known)); err == nil && len(secret) >= secretBytes {
		return secret, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", core.FileError("read the secret of servers", err)
	}
	secret, err := newSecret()
	if err != nil {
		return "", core.Errorf(core.InternalError, "make a secret: %w", err)
	}
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return "", core.FileError("make the directory of servers", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // another process was faster, or the file is damaged
		if known, err := plainfile.Read(path, plainfile.Record); err == nil && len(known) >= secretBytes {
			return strings.TrimSpace(string(known)), nil
		}
		return "", core.Errorf(core.IOError, "%s holds no secret; remove it", path)
	}
	if err != nil {
		return "", core.FileError("write the secret of servers", err)
	}
	_, err = file.WriteString(secret + "\n")
	if err = errors.Join(err, file.Close()); err != nil {
		return "", core.FileError("write the secret of servers", err)
	}
	return secret, nil
}

// NewPass returns a pass for one visit of the server with a token.
func NewPass(token string, now time.Time) string {
	until := strconv.FormatInt(now.Add(passFor).Unix(), 36) + "." + strings.ToLower(rand.Text()[:8])
	return until + "." + passSignature(token, until)
}

func signature(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(text)) // it never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// passSignature is 128 bits of the signature: passes are in QR codes, which grow with them.
func passSignature(token, until string) string { return signature(token, "pass "+until)[:22] }

// Passes knows which passes of a server were used.
type Passes struct {
	Token string
	Now   func() time.Time

	mu   sync.Mutex
	used map[string]time.Time
}

// Admit reports whether a pass is valid, and uses it up.
func (p *Passes) Admit(pass string) bool {
	at := strings.LastIndexByte(pass, '.')
	if at < 0 || !hmac.Equal([]byte(pass[at+1:]), []byte(passSignature(p.Token, pass[:at]))) {
		return false
	}
	end, _, _ := strings.Cut(pass, ".")
	seconds, err := strconv.ParseInt(end, 36, 64)
	until, now := time.Unix(seconds, 0), p.Now()
	if err != nil || now.After(until) || until.After(now.Add(passFor+passSkew)) { // or the clock went back
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for old, valid := range p.used {
		if now.After(valid) {
			delete(p.used, old)
		}
	}
	if _, again := p.used[pass]; again {
		return false
	}
	if p.used == nil {
		p.used = map[string]time.Time{}
	}
	p.used[pass] = until
	return true
}

// Answer is one answer to one question, which a notification offers as a button.
type Answer struct {
	// Pane is the address of the agent that asks, Since is since when it does.
	Pane  string    `json:"pane"`
	Since time.Time `json:"since"`
	// Approve approves; without it the answer denies.
	Approve bool `json:"approve"`
	// Until is how long the answer may be given.
	Until time.Time `json:"until"`
}

// answerFor is how long an answer of a notification may be given.
const answerFor = 12 * time.Hour

// NewAnswer returns a pass for one answer at the server with a token. It opens nothing else.
func NewAnswer(token string, a Answer, now time.Time) string {
	a.Until = now.Add(answerFor)
	text, _ := json.Marshal(a) // texts and times can be encoded
	payload := base64.RawURLEncoding.EncodeToString(text)
	return payload + "." + signature(token, "answer "+payload)
}

// ReadAnswer returns the answer of a pass; false if this server has not given it, or not for this time.
func ReadAnswer(token, pass string, now time.Time) (a Answer, good bool) {
	payload, signed, _ := strings.Cut(pass, ".")
	if !hmac.Equal([]byte(signed), []byte(signature(token, "answer "+payload))) {
		return a, false
	}
	text, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(text, &a) != nil {
		return a, false
	}
	return a, !now.After(a.Until)
}
