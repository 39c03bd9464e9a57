package rundir

import (
	"context"
	"os"
	"testing"

	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
)

// standing is an engine that only says where it is.
type standing struct{ engine.Engine }

func (standing) Info(context.Context) (engine.Info, error) { return engine.Info{Socket: "/s"}, nil }

func TestTheKeeperIsLookedForWithoutBecomingOne(t *testing.T) {
	dir := fleettest.RuntimeDir(t)
	d := newDir(standing{}, dir)
	s := FilesOf(dir, engine.Info{Socket: "/s"})
	expect := func(why string, want KeeperState) {
		t.Helper()
		if got, socket, err := d.Keeper(t.Context()); got != want || err != nil || socket != s.Socket {
			t.Errorf("%s: %s at %s, %v; want %s", why, got, socket, err, want)
		}
	}
	expect("no keeper ever ran", KeeperNone)
	if _, err := os.Stat(s.lock); err == nil {
		t.Error("looking made the lock")
	}
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	expect("no keeper runs", KeeperNone)
	lock, err := s.Take()
	if err != nil || lock == nil {
		t.Fatalf("take: %v, %v", lock, err)
	}
	expect("a keeper runs", KeeperAlive)
	if err := os.WriteFile(s.Socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.ClearStale(t.Context()); err != nil || !s.Open() {
		t.Errorf("a living keeper's socket was taken: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	expect("a keeper ended without removing its socket", KeeperStale)
	if err := d.ClearStale(t.Context()); err != nil || s.Open() {
		t.Errorf("the socket is left: %v", err)
	}
	expect("it was cleared", KeeperNone)
}
