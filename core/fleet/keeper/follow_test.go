package keeper

import (
	"bufio"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/wire"
)

// linkTo returns a member's connection to a keeper that says what a stream holds, and then hangs up.
func linkTo(t *testing.T, stream []byte) *wire.Link {
	t.Helper()
	socket := filepath.Join(fleettest.RuntimeDir(t), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var talk sync.WaitGroup
	talk.Go(func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		hello, err := wire.Encode(wire.Welcome{Protocol: wire.Protocol})
		if err != nil {
			t.Error(err)
		}
		if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Error(err)
		}
		_, _ = conn.Write(append(hello, stream...)) // who hears nonsense hangs up
	})
	l, err := wire.Dial(t.Context(), socket, wire.Hello{Protocol: wire.Protocol}, wire.DefaultTimeouts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		listener.Close()
		talk.Wait()
	})
	return l
}

// readBatch reads one frame. A frame without news gives an empty batch.
func readBatch(from *wire.Link) (batch, error) {
	f, err := from.Next()
	if err != nil || f.Type != wire.FrameBatch {
		return batch{}, err
	}
	return batchOf(&f)
}

func TestAFrameIsReadAsItWasSent(t *testing.T) {
	sent := wire.Frame{
		Type: wire.FrameBatch, Events: []core.Event{{Revision: 6, Type: core.PaneClosed, PaneID: "%1"}},
		Snapshot: fleettest.Snapshot(fleettest.Session("$1", "api")), Resync: true,
	}
	sent.Snapshot.Revision = 6
	line, err := wire.Encode(sent)
	if err != nil {
		t.Fatal(err)
	}
	others := `{"type":"pulse"}` + "\n" + `{"type":"of a later version","what":3}` + "\n"
	l := linkTo(t, append([]byte(others), line...))
	for _, name := range []string{"a pulse", "an unknown frame"} {
		if b, err := readBatch(l); err != nil || b.snapshot != nil {
			t.Fatalf("%s says %+v %v", name, b, err)
		}
	}
	b, err := readBatch(l)
	if err != nil || len(b.events) != 1 || b.events[0].PaneID != "%1" || !b.resync ||
		b.snapshot.Sessions[0].Name != "api" {
		t.Errorf("%+v %v", b, err)
	}
	if _, err := readBatch(l); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestFollowRejectsMalformedFrames(t *testing.T) {
	for _, line := range []string{
		`{"type":"batch"}`,
		`{"type":"batch","events":[{"revision":3},{"revision":5}],"picture":{"revision":5}}`,
		`{"type":"batch","events":[{"revision":5}],"picture":{"revision":6}}`,
		`{"type":"batch","events":[{"revision":0},{"revision":0}],"picture":{"revision":0}}`,
		`{"type":`, `[]`, ``,
	} {
		l := linkTo(t, []byte(line+"\n"))
		if _, err := readBatch(l); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func FuzzFollow(f *testing.F) {
	const changed = `{"type":"batch","events":[{"revision":1,"type":"keeper_changed"}],` +
		`"picture":{"revision":1,"sessions":[]}}`
	f.Add([]byte(changed + "\n" + `{"type":"pulse"}` + "\n"))
	f.Add([]byte(`{"type":"batch","resync":true,"picture":{"revision":9}}` + "\n"))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		h := newHub(0)
		heard, err := h.follow(t.Context(), linkTo(t, stream))
		if err == nil {
			t.Fatal("the stream ended without a reason")
		}
		snapshot, revision := h.known()
		if heard != (snapshot != nil) || snapshot != nil && snapshot.Revision != revision {
			t.Fatalf("heard %t, revision %d, snapshot %+v", heard, revision, snapshot)
		}
		b, _, _ := h.next(cursor{})
		for i := 1; i < len(b.events); i++ {
			if b.events[i].Revision != b.events[i-1].Revision+1 {
				t.Fatalf("revision %d after %d", b.events[i].Revision, b.events[i-1].Revision)
			}
		}
	})
}
