package keeper

import (
	"bytes"
	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/wire"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// readBatch reads one frame. One that tells nothing gives an empty batch.
func readBatch(from *wire.lines) (batch, error) {
	var f wire.Frame
	if err := from.decode(&f); err != nil || f.Type != wire.FrameBatch {
		return batch{}, err
	}
	return batchOf(&f)
}

func TestAFrameIsReadAsItWasSent(t *testing.T) {
	sent := wire.Frame{Type: wire.FrameBatch, Events: []core.Event{{Revision: 6, Type: core.PaneClosed, PaneID: "%1"}}, Picture: fleettest.Snapshot(fleettest.Session("$1", "api")), Resync: true}
	sent.Picture.Revision = 6
	line, err := wire.Encode(sent)
	if err != nil {
		t.Fatal(err)
	}
	stream := bytes.NewReader(append([]byte(`{"type":"pulse"}`+"\n"+`{"type":"of a later version","what":3}`+"\n"), line...))
	l := wire.NewLines(stream)
	for _, name := range []string{"a pulse", "an unknown frame"} {
		if b, err := readBatch(l); err != nil || b.picture != nil {
			t.Fatalf("%s says %+v %v", name, b, err)
		}
	}
	b, err := readBatch(l)
	if err != nil || len(b.events) != 1 || b.events[0].PaneID != "%1" || !b.resync || b.picture.Sessions[0].Name != "api" {
		t.Errorf("%+v %v", b, err)
	}
	if _, err := readBatch(l); !errors.Is(err, io.EOF) {
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
		l := wire.NewLines(strings.NewReader(line + "\n"))
		if _, err := readBatch(l); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", line, err)
		}
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
		l := &wire.Link{conn: ours, timeouts: wire.DefaultTimeouts, lines: wire.NewLines(ours)}
		heard, err := h.follow(t.Context(), l)
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
