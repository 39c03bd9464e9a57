package hold

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"cupola/core/agent/payload"
	"cupola/core/agent/sandbox"
	"cupola/core/system/private/socket"
)

// Report is a report of an agent's hook from inside a sandbox.
type Report struct {
	// Args are the arguments of the hook, without the payload that may be the last of them.
	Args    []string        `json:"args"`
	Payload json.RawMessage `json:"payload"`
}

// reportWithin bounds a report, maxReports how many are taken at once.
const (
	reportWithin = 500 * time.Millisecond
	maxReports   = 4
)

// doorway returns the folder of this sandbox.
func doorway() string { return cmp.Or(os.Getenv(sandbox.DoorwayVariable), sandbox.Doorway) }

// Inside reports whether this process is in a sandbox, whose hooks report through its doorway.
func Inside() bool {
	_, err := os.Lstat(filepath.Join(doorway(), sandbox.DoorName))
	return err == nil
}

// Send passes a report to the process that holds this sandbox, and waits until it is taken.
func Send(ctx context.Context, report *Report) error {
	conn, err := socket.Dial(ctx, filepath.Join(doorway(), sandbox.DoorName), reportWithin)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(reportWithin))
	if err := json.NewEncoder(conn).Encode(report); err != nil {
		return err
	}
	_ = conn.CloseWrite()
	_, err = io.Copy(io.Discard, conn) // the sender must live until it was found among the processes
	return err
}

// serve takes reports. They come from programs that are not trusted: each is bounded, and says no more than a hook
// may.
func serve(listener net.Listener, hooked func(int, *Report)) {
	slots := make(chan struct{}, maxReports)
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(reportWithin))
			var report Report
			own, is := conn.(*net.UnixConn)
			if !is || json.NewDecoder(io.LimitReader(conn, 2*payload.Max)).Decode(&report) != nil {
				return
			}
			if pid := sender(own); pid > 0 {
				hooked(pid, &report)
			}
		}()
	}
}
