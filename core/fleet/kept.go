package fleet

import (
	"context"

	"cupola/core/process"
)

// Kept returns the path of the server's socket, under which its events are on
// record, and whether somebody keeps its picture now.
func (f *lookout) Kept(ctx context.Context) (server string, kept bool, err error) {
	info, err := f.server(ctx)
	if err != nil || f.runtime == "" {
		return info.Socket, false, translate("keeper", err)
	}
	left, err := readRecord(seatOf(f.runtime, info).record)
	if err != nil {
		f.log.Warn("the last picture is not known", "error", err)
	}
	keeper, err := process.Find(left.PID)
	running := err == nil && !keeper.Zombie
	return info.Socket, running && left.Ceiling != left.Revision, nil
}
