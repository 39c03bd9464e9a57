package server

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/alert/webpush"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
	"cupola/core/term/cells"
)

const (
	// browsersDir holds a folder for each server, with a file for each browser that is signed in there.
	browsersDir = "browsers"
	// browserFor is how long a browser stays signed in without a visit.
	browserFor = 30 * 24 * time.Hour
	// browserSeen is the precision of the time of a visit.
	browserSeen = time.Minute
	// mostBrowsers limits the browsers that are signed in at a server: a new one replaces that with the oldest visit.
	mostBrowsers = 100
	// mostProgram bounds what a browser says of itself, in cells.
	mostProgram = 120
	// browserID is the length of an id: the first letters of the name of a browser's file.
	browserID = 8
)

// Browser is a browser that is signed in at a server.
type Browser struct {
	ID string `json:"id" table:"BROWSER,strong"`
	// Program is the name of the browser, as its User-Agent gives it.
	Program string    `json:"program" table:"PROGRAM,flex"`
	Began   time.Time `json:"began_at" table:"SINCE,dim,ago"`
	// Seen is the time of its last visit, to the minute.
	Seen time.Time `json:"seen_at" table:"SEEN,dim,ago"`
}

// Browsers are the browsers that are signed in at one server. Each has a secret word; only its digest is on record.
// Removing the record signs the browser out at once.
type Browsers struct {
	dir string
	now func() time.Time
}

// Browsers returns the browsers of a server that listens.
func (b Records) Browsers(r *Record, now func() time.Time) *Browsers {
	return &Browsers{dir: filepath.Join(b.Dir, browsersDir, digest(r.scope())), now: now}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// SignIn puts a browser on record and returns its word.
func (b *Browsers) SignIn(program string) (word string, err error) {
	known, err := b.list()
	if err != nil {
		return "", err
	}
	for i := mostBrowsers - 1; i < len(known); i++ {
		_ = os.Remove(known[i].path) // it may have been signed out
	}
	word = NewSecret()
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return "", core.FileError("make the directory of browsers", err)
	}
	one := signedIn{path: filepath.Join(b.dir, digest(word))}
	one.Program, one.Began = cells.Cut(cells.Clean(program), mostProgram, "…"), b.now().UTC()
	return word, one.put(b.now())
}

// signedIn is a browser with its file.
type signedIn struct {
	Browser
	// Push is where it is notified; nil for a browser that is not.
	Push *webpush.Subscription `json:"push,omitempty"`
	path string
}

// put writes the record of a browser that came at a time.
func (s *signedIn) put(seen time.Time) error {
	text, err := json.Marshal(s)
	if err != nil {
		return core.Errorf(core.InternalError, "encode a browser: %w", err)
	}
	if err := textfile.Put(s.path, text); err != nil {
		return core.FileError("write the record of a browser", err)
	}
	return os.Chtimes(s.path, seen, seen)
}

// Subscribe lets the browser with a word be notified, or no more with nil. It returns NotFound for a browser that is
// not signed in. Signing out ends the subscription.
func (b *Browsers) Subscribe(word string, to *webpush.Subscription) error {
	if to != nil {
		if err := to.Check(); err != nil {
			return err
		}
	}
	known, err := b.list()
	if err != nil {
		return err
	}
	path := filepath.Join(b.dir, digest(word))
	at := slices.IndexFunc(known, func(one signedIn) bool { return one.path == path })
	if at < 0 {
		return core.Errorf(core.NotFound, "this browser is not signed in")
	}
	known[at].Push = to
	return known[at].put(b.now())
}

// Subscribed is a browser that takes notifications.
type Subscribed struct {
	*webpush.Subscription
	in   *Browsers
	path string
}

// End ends the subscription.
func (s *Subscribed) End() {
	known, _ := s.in.list() // what cannot be read is gone
	for i := range known {
		if known[i].path == s.path {
			known[i].Push = nil
			_ = known[i].put(known[i].Seen) // it is tried again at the next notification
		}
	}
}

// Subscribed returns the browsers of all servers that take notifications.
func (b Records) Subscribed(now func() time.Time) []Subscribed {
	var all []Subscribed
	dirs, _ := os.ReadDir(filepath.Join(b.Dir, browsersDir)) // none where no browser ever signed in
	for _, dir := range dirs {
		in := &Browsers{dir: filepath.Join(b.Dir, browsersDir, dir.Name()), now: now}
		known, _ := in.list()
		for i := range known {
			if known[i].Push != nil {
				all = append(all, Subscribed{known[i].Push, in, known[i].path})
			}
		}
	}
	return all
}

// Knows reports whether a word belongs to a browser that is signed in, and records the time of its visit.
func (b *Browsers) Knows(word string) bool {
	path := filepath.Join(b.dir, digest(word))
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	switch unseen := b.now().Sub(info.ModTime()); {
	case unseen > browserFor, unseen < -browserFor:
		_ = os.Remove(path)
		return false
	case unseen > browserSeen:
		_ = os.Chtimes(path, b.now(), b.now()) // if this fails, the browser has to sign in again sooner
	}
	return true
}

// IDOf returns the id of the browser with a word.
func (b *Browsers) IDOf(word string) string { return digest(word)[:browserID] }

// list returns the browsers, the latest visit first. It omits records that cannot be read.
func (b *Browsers) list() ([]signedIn, error) {
	entries, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, core.FileError("list the browsers", err)
	}
	var all []signedIn
	for _, entry := range entries {
		one := signedIn{path: filepath.Join(b.dir, entry.Name())}
		text, err := plainfile.Read(one.path, plainfile.Record)
		info, statErr := os.Lstat(one.path)
		if err != nil || statErr != nil || json.Unmarshal(text, &one) != nil || len(entry.Name()) < browserID {
			continue
		}
		one.ID, one.Seen = entry.Name()[:browserID], info.ModTime().UTC()
		if b.now().Sub(one.Seen) <= browserFor {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(x, y signedIn) int {
		return cmp.Or(y.Seen.Compare(x.Seen), strings.Compare(x.ID, y.ID))
	})
	return all, nil
}

// List returns the browsers, the latest visit first.
func (b *Browsers) List() ([]Browser, error) {
	known, err := b.list()
	return core.Map(known, func(s signedIn) Browser { return s.Browser }), err
}

// SignOut signs a browser out by its id, or all with an empty one, and returns which.
func (b *Browsers) SignOut(id string) ([]Browser, error) {
	known, err := b.list()
	if err != nil {
		return nil, err
	}
	out := []Browser{}
	for i := range known {
		if id != "" && known[i].ID != id {
			continue
		}
		if err := os.Remove(known[i].path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out, core.FileError("sign a browser out", err)
		}
		out = append(out, known[i].Browser)
	}
	return out, nil
}
