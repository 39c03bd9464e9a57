package fleet

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"cupola/core"
)

func TestAFrameIsReadAsItWasSent(t *testing.T) {
	sent := frame{Type: frameBatch, Events: []core.Event{{Revision: 6, Type: core.PaneClosed, PaneID: "%1"}}, Picture: aPicture(aSession("$1", "api")), Resync: true}
	sent.Picture.Revision = 6
	line, err := encode(sent)
	if err != nil {
		t.Fatal(err)
	}
	stream := bytes.NewReader(append([]byte(`{"type":"pulse"}`+"\n"+`{"type":"of a later version","what":3}`+"\n"), line...))
	l := &link{lines: newLines(stream)}
	for _, name := range []string{"a pulse", "an unknown frame"} {
		if b, err := l.batch(); err != nil || b.picture != nil {
			t.Fatalf("%s says %+v %v", name, b, err)
		}
	}
	b, err := l.batch()
	if err != nil || len(b.events) != 1 || b.events[0].PaneID != "%1" || !b.resync || b.picture.Sessions[0].Name != "api" {
		t.Errorf("%+v %v", b, err)
	}
	if _, err := l.batch(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestNonsenseIsNotBelieved(t *testing.T) {
	for _, line := range []string{
		`{"type":"batch"}`,
		`{"type":"batch","events":[{"revision":3},{"revision":5}],"picture":{"revision":5}}`,
		`{"type":"batch","events":[{"revision":5}],"picture":{"revision":6}}`,
		`{"type":"batch","events":[{"revision":0},{"revision":0}],"picture":{"revision":0}}`,
		`{"type":`, `[]`, ``,
	} {
		l := &link{lines: newLines(strings.NewReader(line + "\n"))}
		if _, err := l.batch(); !errors.Is(err, errSpeech) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

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

func FuzzFollow(f *testing.F) {
	f.Add([]byte(`{"type":"batch","events":[{"revision":1,"type":"keeper_changed"}],"picture":{"revision":1,"sessions":[]}}` + "\n" + `{"type":"pulse"}` + "\n"))
	f.Add([]byte(`{"type":"batch","resync":true,"picture":{"revision":9}}` + "\n"))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			_, _ = theirs.Write(stream)
		}()
		h := newHub(0)
		l := &link{conn: ours, pace: usualPace, lines: newLines(ours)}
		heard, err := l.follow(t.Context(), h)
		if err == nil {
			t.Fatal("the stream ended without a reason")
		}
		picture, revision := h.known()
		if heard != (picture != nil) || picture != nil && picture.Revision != revision {
			t.Fatalf("heard %t, revision %d, picture %+v", heard, revision, picture)
		}
		b, _, _ := h.next(cursor{})
		for i := 1; i < len(b.events); i++ {
			if b.events[i].Revision != b.events[i-1].Revision+1 {
				t.Fatalf("revision %d after %d", b.events[i].Revision, b.events[i-1].Revision)
			}
		}
	})
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
