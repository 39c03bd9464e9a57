package wire

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAnEndlessLineIsNotReadToItsEnd(t *testing.T) {
	_, err := NewLines(endless{}).next()
	if !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'x'
	}
	return len(into), nil
}

func TestTheProtocolIsLookedAtFirst(t *testing.T) {
	var w Welcome
	l := NewLines(strings.NewReader(`{"cupola":2,"pid":"not a number any more"}` + "\n"))
	if err := l.DecodeFirst(&w); !errors.Is(err, ErrVersion) {
		t.Errorf("%v", err)
	}
}

func FuzzGreeting(f *testing.F) {
	f.Add([]byte(`{"cupola":1,"pid":7,"known":true,"since":18446744073709551615,"seen":3,"watched":true}` + "\n"))
	f.Add([]byte(`{"cupola":"1"}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() {
			_, _ = theirs.Write(append(line, '\n'))
			_, _ = io.Copy(io.Discard, theirs)
		}()
		s := &keeper.server{since: time.Now(), pace: DefaultTimeouts}
		if _, err := s.greeted(t.Context(), ours); err == nil && len(s.seen) != 1 {
			t.Fatal("a member was greeted and not counted")
		}
		ours.Close()
	})
}
