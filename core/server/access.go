package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/plainfile"
)

const (
	// secretFile holds what all servers of a user know their clients by.
	secretFile = "secret"
	// secretBytes is how many random bytes that is.
	secretBytes = 24
	// passFor is how long an unused pass is valid.
	passFor = 10 * time.Minute
)

// NewSecret returns a secret that cannot be guessed.
func NewSecret() string {
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random) // it never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// Secret returns what clients show to servers, and makes it first where there is none. It stays the same, so that a
// page is still let in by a server that was started again.
func (b Book) Secret() (string, error) {
	path := filepath.Join(b.Dir, secretFile)
	known, err := plainfile.Read(path, plainfile.Record)
	if secret := strings.TrimSpace(string(known)); err == nil && len(secret) >= secretBytes {
		return secret, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", core.FileError("read the secret of servers", err)
	}
	secret := NewSecret()
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

// NewPass returns a pass for one visit, which all who know the secret can make.
func NewPass(secret string, now time.Time) string {
	until := strconv.FormatInt(now.Add(passFor).Unix(), 36) + "." + strings.ToLower(rand.Text()[:8])
	return until + "." + signature(secret, until)
}

func signature(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte("pass " + text)) // it never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Passes knows which passes were used.
type Passes struct {
	Secret string
	Now    func() time.Time

	mu   sync.Mutex
	used map[string]time.Time
}

// Admit reports whether a pass is valid, and uses it up.
func (p *Passes) Admit(pass string) bool {
	at := strings.LastIndexByte(pass, '.')
	if at < 0 || !hmac.Equal([]byte(pass[at+1:]), []byte(signature(p.Secret, pass[:at]))) {
		return false
	}
	end, _, _ := strings.Cut(pass, ".")
	seconds, err := strconv.ParseInt(end, 36, 64)
	until, now := time.Unix(seconds, 0), p.Now()
	if err != nil || now.After(until) {
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
