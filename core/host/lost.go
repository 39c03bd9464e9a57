package host

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/private"
	"cupola/core/system/textfile"
)

const (
	// lostAbove is the time above which a failure to reach a host is remembered: what fails sooner is tried again.
	lostAbove = time.Second
	// lostAgain is how long a host that is remembered is not asked again, and lostFor how long it is remembered.
	lostAgain, lostFor = 15 * time.Second, 10 * time.Minute
)

// Lost remembers hosts that did not answer, for all processes of this user: a call of several hosts need not wait for
// them again. The zero value remembers none. It is safe for concurrent use.
type Lost struct {
	// Dir is the folder of its files, one a host.
	Dir string
	// Ask asks a host in the background, and Note is called with the result; nil asks none.
	Ask func(h *Host)
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// lostHost is a host that did not answer.
type lostHost struct {
	Reason string `json:"reason"`
	// Noted is when it did not answer last, and Asked when that was tried again last.
	Noted time.Time `json:"noted"`
	Asked time.Time `json:"asked"`
}

func (l *Lost) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}

// path is the file of a host, which depends on how it is reached.
func (l *Lost) path(h *Host) string {
	if l == nil || l.Dir == "" {
		return ""
	}
	return filepath.Join(l.Dir, "lost-"+h.Name+"-"+hex.EncodeToString(h.digest())+".json")
}

func (l *Lost) read(path string) (lost lostHost, is bool) {
	if path == "" {
		return lost, false
	}
	text, err := plainfile.Read(path, plainfile.Record)
	if err != nil || json.Unmarshal(text, &lost) != nil {
		return lost, false
	}
	age := l.now().Sub(lost.Noted)
	return lost, age >= 0 && age < lostFor
}

// write keeps what is known. A folder that cannot be written to remembers nothing.
func (l *Lost) write(path string, lost lostHost) {
	if private.MakeFolder(l.Dir) == nil {
		_ = textfile.WriteJSON(path, lost)
	}
}

// Err is Fault as an error with its code.
func (l *Lost) Err(h *Host) error {
	if fault := l.Fault(h); fault != nil {
		return fault.AsError()
	}
	return nil
}

// Fault says why a host is not asked now: it did not answer a while ago. It is asked in the background from time to
// time. It is nil for a host that answered last or is not on file.
func (l *Lost) Fault(h *Host) *Fault {
	path := l.path(h)
	lost, is := l.read(path)
	if !is {
		return nil
	}
	now := l.now()
	if l.Ask != nil && now.Sub(lost.Asked) >= lostAgain {
		lost.Asked = now
		l.write(path, lost)
		l.Ask(h)
	}
	return &Fault{Host: h.Name, State: Down, Reason: fmt.Sprintf("%s, %s ago; it is asked again meanwhile", lost.Reason,
		core.ShortDuration(max(time.Second, now.Sub(lost.Noted).Truncate(time.Second))))}
}

// Note takes in how an attempt to reach a host ended, and how long it took.
func (l *Lost) Note(h *Host, took time.Duration, err error) {
	path := l.path(h)
	if path == "" {
		return
	}
	fault := (*Fault)(nil)
	switch {
	case errors.As(err, &fault):
	case errors.Is(err, context.DeadlineExceeded):
		fault = Late(h)
	case err != nil:
		return // the caller gave up, or this machine failed
	}
	if fault == nil || fault.State != Down || took < lostAbove {
		_ = os.Remove(path) // it answers, or says at once why it does not
		return
	}
	now := l.now()
	l.write(path, lostHost{Reason: fault.Reason, Noted: now, Asked: now})
}
