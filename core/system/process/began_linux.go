package process

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// ticks is the unit of start times, in a second. It is the same on all architectures that Go runs on.
const ticks = 100

// Began returns when a process was started, within a second or so; zero where the system does not say.
func (p Proc) Began() time.Time {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	_, rest, found := bytes.Cut(text, []byte("\nbtime "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	boot, err := strconv.ParseInt(string(line), 10, 64)
	if err != nil || !found {
		return time.Time{}
	}
	return time.Unix(boot, 0).Add(time.Duration(p.Start) * (time.Second / ticks))
}
