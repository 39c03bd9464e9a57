package keeper

import (
	"io"
	"net"
	"testing"
	"time"

	"cupola/core/fleet/wire"
)

func FuzzGreeting(f *testing.F) {
	const hello = `{"cupola":1,"pid":7,"known":true,"since":18446744073709551615,"seen":3,"watched":true}`
	f.Add([]byte(hello + "\n"))
	f.Add([]byte(`{"cupola":"1"}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() {
			_, _ = theirs.Write(append(line, '\n'))
			_, _ = io.Copy(io.Discard, theirs)
		}()
		s := &server{since: time.Now(), timeouts: wire.DefaultTimeouts}
		if _, err := s.readHello(t.Context(), ours); err == nil && len(s.seen) != 1 {
			t.Fatal("a member was greeted and not counted")
		}
		ours.Close()
	})
}
