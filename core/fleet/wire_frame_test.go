package fleet

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAnEndlessLineIsNotReadToItsEnd(t *testing.T) {
	_, err := newLines(endless{}).next()
	if !errors.Is(err, errSpeech) {
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
	var w welcome
	l := newLines(strings.NewReader(`{"cupola":2,"pid":"not a number any more"}` + "\n"))
	if err := l.decodeFirst(&w); !errors.Is(err, errVersion) {
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
		s := &server{since: time.Now(), pace: usualPace}
		if _, err := s.greeted(t.Context(), ours); err == nil && len(s.seen) != 1 {
			t.Fatal("a member was greeted and not counted")
		}
		ours.Close()
	})
}
