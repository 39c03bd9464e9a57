package fleet

import (
	"context"
	"os"
	"syscall"

	"github.com/gofrs/flock"

	"cupola/core/engine"
)

// KeeperState says whether somebody keeps the picture.
type KeeperState string

// A stale seat has the socket of a keeper that ended without clearing up.
const (
	KeeperNone  KeeperState = "none"
	KeeperAlive KeeperState = "alive"
	KeeperStale KeeperState = "stale"
)

// EngineInfo says which terminal program and server a fleet is on. It fails as
// pictures do where there is no usable program.
func EngineInfo(ctx context.Context, f *Fleet) (engine.Info, error) {
	info, err := f.engine.Info(ctx)
	return info, translate("look at the engine", err)
}

// Keeper says whether somebody keeps the picture, and where it serves the others.
// Nothing is made.
func Keeper(ctx context.Context, f *Fleet) (state KeeperState, socket string, err error) {
	s, err := seatOfFleet(ctx, f)
	if err != nil || s.none() {
		return KeeperNone, "", err
	}
	if _, err := os.Stat(s.lock); err != nil {
		return KeeperNone, s.socket, nil // nobody has ever sat there
	}
	lock := flock.New(s.lock, flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK))
	free, err := lock.TryRLock()
	if err != nil {
		return KeeperNone, s.socket, unusable(err)
	}
	if !free {
		return KeeperAlive, s.socket, nil
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process
	if s.open() {
		return KeeperStale, s.socket, nil
	}
	return KeeperNone, s.socket, nil
}

// ClearSeat removes the socket of a keeper that is gone. It does nothing while
// one is alive.
func ClearSeat(ctx context.Context, f *Fleet) error {
	s, err := seatOfFleet(ctx, f)
	if err != nil || s.none() {
		return err
	}
	lock, err := s.take()
	if err != nil || lock == nil {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process
	return unusable(os.Remove(s.socket))
}

// seatOfFleet is where the keeper of the fleet's engine sits.
func seatOfFleet(ctx context.Context, f *Fleet) (seat, error) {
	info, err := f.server(ctx)
	if err != nil {
		return seat{}, translate("find the keeper", err)
	}
	return seatOf(f.runtime, info), nil
}
