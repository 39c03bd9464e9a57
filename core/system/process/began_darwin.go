package process

import "time"

// Began returns when a process was started.
func (p Proc) Began() time.Time { return time.UnixMicro(int64(p.Start)) }
