package fleet

import (
	"context"

	"cupola/core"
	"cupola/core/process"
)

// Kept returns the path of the server's socket, under which its events are on
// record, and whether somebody keeps its picture now.
func (f *lookout) Kept(ctx context.Context) (server string, kept bool, err error) {
	info, err := f.server(ctx)
	if err != nil || f.runtime == "" {
		return info.Socket, false, translate("keeper", err)
	}
	kept, err = seatOf(f.runtime, info).kept()
	if err != nil {
		f.log.Warn("the last picture is not known", "error", err)
	}
	return info.Socket, kept, nil
}

// kept reports whether a keeper sits there now. One whose record cannot be read
// does not count.
func (s seat) kept() (bool, error) {
	if s.none() {
		return false, nil
	}
	left, err := readRecord(s.record)
	keeper, gone := process.Find(left.PID)
	return gone == nil && !keeper.Zombie && left.Ceiling != left.Revision, err
}

// keptState is what a keeper's tag says now of a program without rules, for an
// observer that looks once; empty where nobody keeps the picture.
func (a *assessor) keptState(q *inquiry) core.State {
	if a.memory.lasting || q.kind.Readable() || q.known.recorded.State == "" || !a.kept() {
		return ""
	}
	return q.known.recorded.State
}
