// Package server keeps the record of servers that run: where each listens, and what gives access to it. It serves
// nothing itself.
package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run"
)

// State is how a server is.
type State string

// The states. A server is Interrupted if its process ended without a word.
const (
	Starting    State = "starting"
	Running     State = "running"
	Ended       State = "ended"
	Interrupted State = "interrupted"
)

// recordVersion is the version of a record.
const recordVersion = 1

// Record is a server.
type Record struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	State   State  `json:"state"`
	PID     int    `json:"pid,omitempty"`
	// URL is where it answers; empty before it listens.
	URL string `json:"url,omitempty"`
	// Public is the address for browsers on other machines, through a tunnel; empty is URL.
	Public  string    `json:"public,omitempty"`
	Started time.Time `json:"started_at"`
	Ended   time.Time `json:"ended_at,omitzero"`
	// Allow is the strongest effect that clients may have; Sessions are the sessions that they are confined to.
	Allow    string   `json:"allow"`
	Sessions []string `json:"session_names"`
	// Hosts are the other hosts that clients may name; empty is all.
	Hosts []string `json:"host_names,omitempty"`
}

// Head returns the fields that a server shares with runs of all kinds.
func (r *Record) Head() run.Head {
	h := run.Head{ID: r.ID, PID: r.PID, Started: r.Started, Ended: r.Ended}
	h.State = map[State]run.State{
		Starting: run.Pending, Running: run.Running, Ended: run.Done, Interrupted: run.Interrupted,
	}[r.State]
	return h
}

// Valid returns an error for a record of a version that is not known.
func (r *Record) Valid() error {
	if r.Version != recordVersion {
		return fmt.Errorf("version %d of a server cannot be read", r.Version)
	}
	return nil
}

// OnBus reports whether it serves on a bus, not over HTTP.
func (r *Record) OnBus() bool { return r.URL != "" && !strings.HasPrefix(r.URL, "http") }

// Interrupt notes that its process ended without a word.
func (r *Record) Interrupt() { r.State = Interrupted }

// Cancel notes that it was stopped.
func (r *Record) Cancel(at time.Time) { r.State, r.Ended = Ended, at }

// Records is the directory of servers.
type Records struct{ Dir string }

func (b Records) files() *run.Directory[Record, *Record] {
	return &run.Directory[Record, *Record]{Dir: b.Dir, File: "server.json", Noun: "server"}
}

// New puts a server on record that has not started.
func (b Records) New(allow string, sessions []string, now time.Time) (*Record, error) {
	r := &Record{
		Version: recordVersion, State: Starting, Started: now.UTC(), Allow: allow,
		Sessions: append([]string{}, sessions...),
	}
	r.ID = "server-" + r.Started.Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4])
	return r, b.files().Make(r)
}

// Claim makes this process the one that serves, until release is called or the process ends. Conflict says that another
// does.
func (b Records) Claim(ctx context.Context, id string) (*Record, func(), error) {
	return b.files().Take(ctx, id)
}

// Listening notes that this process serves at an address.
func (b Records) Listening(r *Record, url string) error {
	r.State, r.PID, r.URL = Running, os.Getpid(), url
	return b.files().Save(r)
}

// End notes that a server has ended.
func (b Records) End(r *Record, now time.Time) error {
	r.State, r.Ended = Ended, now.UTC()
	return b.files().Save(r)
}

// Detach starts a program that is to take up a server in the background, and returns once it has.
func (b Records) Detach(ctx context.Context, id, dir string, argv ...string) (*Record, error) {
	return b.files().Detach(ctx, id, dir, argv...)
}

// Cancellable returns a context that ends when the server is stopped, and what ends the watch.
func (b Records) Cancellable(ctx context.Context, id string) (context.Context, func()) {
	return b.files().Cancellable(ctx, id)
}

// Running returns the servers that run, the newest first. The records of others that ended are removed.
func (b Records) Running(ctx context.Context) ([]Record, error) {
	all, err := b.files().All()
	if err != nil {
		return nil, core.FileError("list the servers", err)
	}
	running := []Record{}
	for i := range all {
		switch all[i].State {
		case Running:
			running = append(running, all[i])
		case Starting:
		default:
			_ = b.files().Remove(ctx, all[i].ID) // it tries again next time
		}
	}
	return running, nil
}

// Stop asks a server to end, and waits until it has or ctx ends. Another process may remove the record of a server that
// has just ended.
func (b Records) Stop(ctx context.Context, id string) (*Record, error) {
	r, err := b.files().Cancel(ctx, id)
	if r != nil && errors.Is(err, fs.ErrNotExist) {
		r.Cancel(time.Now().UTC())
		return r, nil
	}
	return r, err
}
