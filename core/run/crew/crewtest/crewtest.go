// Package crewtest puts a crew on record, for tests.
package crewtest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/relay/stream"
)

// ID is the id of the crew.
const ID = "k3x9ab2"

// began is when it began.
var began = time.Date(2026, 1, 31, 11, 50, 0, 0, time.UTC)

// Put puts a crew into the store at a path, and its process into the directory of crews: two agents
// that reviewed something. An open one was cut off while one of them was asked; a paused one is, too,
// and this process seems to run it.
func Put(t testing.TB, path, dir string, open, paused bool) {
	t.Helper()
	c := &crew.Crew{
		ID: ID, Prompt: "Review auth", Dir: "/home/dev/api", Sandbox: "read-only", Stage: crew.Headless,
		State: crew.Completed, Reason: crew.Converged, Turn: 2, Limits: crew.DefaultLimits(), Started: began,
		Ended: began.Add(40 * time.Second), ElapsedMS: 40_000,
		Members: []crew.Member{
			{
				Name: "ada.reviewer", Backend: "claude", ModelUsed: "claude-opus-5-5", Dir: "/home/dev/api",
				Status: crew.Idle, Turns: 2, Messages: 2, Used: &stream.Usage{Input: 1400, Output: 42}, CostUSD: 0.02,
				CostKnown: true,
			},
			{
				Name: "bo.critic", Backend: "codex", Dir: "/home/dev/api", Status: crew.Idle, Turns: 2, Messages: 1,
				Used: &stream.Usage{Input: 900, Output: 30},
			},
		},
	}
	open = open || paused
	if open {
		c.State, c.Reason, c.Ended, c.ElapsedMS = crew.Running, "", time.Time{}, 0
	}
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	crews := store.CrewsIn(s)
	if err := crews.Remove(t.Context(), ID); err != nil {
		t.Fatal(err)
	}
	if err := crews.Create(t.Context(), c, events(open)); err != nil {
		t.Fatal(err)
	}
	step := &crew.Step{Crew: c, Asks: []*crew.Ask{{
		Turn: 2, Member: "ada.reviewer", Prompt: "go on",
		State: crew.Routed,
	}}}
	if open {
		step.Asks[0].State = crew.Open
	}
	if err := crews.Apply(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	process := `{"process_version":1,"id":"` + ID + `","pid":7,"running":false,"started_at":"2026-01-31T11:50:00Z"}`
	if err := os.MkdirAll(filepath.Join(dir, ID), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ID, "process.json"), []byte(process), 0o600); err != nil {
		t.Fatal(err)
	}
	if !paused {
		return
	}
	if err := crews.Ask(t.Context(), ID, store.PauseCrew); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(dir, ID, "lock"))
	if taken, err := lock.TryLock(); !taken || err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
}

// events are the events of the crew, five seconds each.
func events(open bool) []crew.Event {
	all := []crew.Event{
		{Type: crew.Task, From: crew.User, To: crew.All, Text: "Review auth"},
		{Type: crew.Start, Text: "ada.reviewer (claude), bo.critic (codex)"},
		{Type: crew.StatusChanged, From: "ada.reviewer", Status: crew.Active},
		{Type: crew.Message, From: "ada.reviewer", To: "bo.critic", Text: "Is the lock held in store.go?"},
		{Type: crew.Note, From: "ada.reviewer", Text: "I read the two files."},
		{Type: crew.TurnComplete, Pending: 1},
		{Type: crew.Message, Turn: 1, From: "bo.critic", To: "ada.reviewer", Text: "It is, since line 40."},
		{Type: crew.TurnComplete, Turn: 1, Pending: 1},
		{Type: crew.Message, Turn: 2, From: "ada.reviewer", To: crew.User, Text: "It is safe."},
		{Type: crew.TurnComplete, Turn: 2},
		{Type: crew.End, Turn: 2, Reason: crew.Converged},
	}
	if open {
		all = all[:8]
	}
	for i := range all {
		all[i].At = began.Add(time.Duration(i) * 4 * time.Second)
	}
	return all
}
