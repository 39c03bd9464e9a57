package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/term"
)

// noon is the time in all frames.
var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// TestFramesAreTheSameAsEver writes one frame of each sort. A server and a client of different builds speak with each
// other: what is on file must stay readable.
func TestFramesAreTheSameAsEver(t *testing.T) {
	session := engine.Session{ID: "$o0", Name: "api", Engine: engine.Own, Created: noon, Attached: 1, Dir: "/w"}
	pane := engine.Pane{
		ID:      "%o1",
		Session: "$o0",
		Window:  core.Window{ID: "@o1", Index: 1, Name: "w"},
		Title:   "t",
		TTY:     "/dev/pts/1",
		View: core.Viewport{
			Width:   80,
			Height:  24,
			History: 3,
			Cursor:  core.Cursor{X: 1, Y: 2, Visible: true},
			Active:  true,
		},
		Process:  core.Process{PID: 7, Command: "claude", Dir: "/w", Dead: true, ExitStatus: 3, DiedAt: noon},
		Activity: noon,
		Alone:    true,
		Tags:     map[string]string{engine.TagKind: "claude"},
		Heard: engine.Heard{
			Status:   "state=idle",
			StatusAt: noon,
			Heard:    core.Heard{Notification: "done", NotifiedAt: noon},
		},
	}
	listing := engine.Listing{Taken: noon, Sessions: []engine.Session{session}, Panes: []engine.Pane{pane}}
	launch := wire.PackLaunch(engine.Launch{
		Session: "api", Dir: "/w", Argv: []string{"claude", "\xff"}, Env: []string{"A=b"}, Width: 80, Height: 24,
		Tags: map[string]string{engine.TagKind: "claude"},
	})
	var text strings.Builder
	for _, value := range []any{
		wire.Hello{Version: 1, Oldest: 1, Program: "1.2.3", PID: 7, Build: "b", Started: noon, Panes: 2},
		wire.Request{Op: wire.List, Detail: engine.WithCommand},
		wire.Request{Op: wire.Capture, Asks: []engine.Ask{{Pane: "%o1", Escapes: true, History: 3}}},
		wire.Request{Op: wire.Create, Launch: &launch, Environ: []string{"PATH=/bin"}},
		wire.Request{Op: wire.Paste, Pane: "%o1", Text: []byte("a\xff")},
		wire.Request{Op: wire.Press, Pane: "%o1", Keys: []string{"Enter"}},
		wire.Request{Op: wire.KillSession, Session: "$o0"},
		wire.Request{Op: wire.Watch, Focus: &engine.Focus{Watched: true, Visible: []core.PaneID{"%o1"}}},
		wire.Request{Op: wire.Attach, Session: "$o0", Pane: "%o1", Width: 80, Height: 24},
		wire.Request{Op: wire.Upgrade, Path: "/bin/cupola"},
		wire.Reply{Listing: &listing},
		wire.Reply{Screens: []core.Screen{{Pane: "%o1", Lines: []string{"a"}, Visible: 1, Title: "t", Taken: noon}}},
		wire.Reply{Place: &engine.Location{Session: "$o0", Window: "@o1", Pane: "%o1", PID: 7}},
		wire.Reply{Fault: wire.FaultOf(fmt.Errorf("kill: %w", engine.ErrNoPane))},
		wire.Change{Listing: listing, Structural: true, Dirty: []core.PaneID{"%o1"}, Said: []engine.Said{
			{Pane: "%o1", Event: term.Event{Kind: term.Bell}, At: noon},
		}},
	} {
		line, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%T %s\n", value, line)
	}
	golden.RequireEqual(t, text.String())
}

func TestWhatIsPackedComesBack(t *testing.T) {
	for _, text := range []string{"", "a b", "\xff\xfe", "a\x00b", "\x00base64:", "\x00base64:YQ==", "日本"} {
		encoded, err := json.Marshal(wire.Pack(text))
		var packed string
		if err := errors.Join(err, json.Unmarshal(encoded, &packed)); err != nil || wire.Unpack(packed) != text {
			t.Errorf("%q comes back as %q, %v", text, wire.Unpack(packed), err)
		}
	}
}

func TestFaultsKeepTheirSentinels(t *testing.T) {
	for _, sentinel := range []error{
		engine.ErrNoPane, engine.ErrDuplicate, engine.ErrDead, wire.ErrEnding, wire.ErrUpgrading,
	} {
		if err := wire.FaultOf(fmt.Errorf("do: %w", sentinel)).Err(); !errors.Is(err, sentinel) {
			t.Errorf("%v comes back as %v", sentinel, err)
		}
	}
	if err := wire.FaultOf(nil).Err(); err != nil {
		t.Errorf("nothing comes back as %v", err)
	}
	if err := wire.FaultOf(io.EOF).Err(); err == nil || err.Error() != io.EOF.Error() {
		t.Errorf("another error comes back as %v", err)
	}
}

// FuzzFrames reads anything as frames, whole and in pieces: both find the same, or stop.
func FuzzFrames(f *testing.F) {
	var two bytes.Buffer
	_ = errors.Join(wire.WriteFrame(&two, wire.OutputFrame, []byte("abc")), wire.WriteFrame(&two, wire.InputFrame, nil))
	f.Add(two.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 'o'})
	f.Add([]byte{0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, stream []byte) {
		type frame struct {
			Kind wire.Kind
			Body string
		}
		var read, cut []frame
		for in := bufio.NewReader(bytes.NewReader(stream)); ; {
			kind, body, err := wire.ReadFrame(in)
			if err != nil {
				break
			}
			read = append(read, frame{kind, string(body)})
		}
		for rest := stream; ; {
			kind, body, more, whole := wire.CutFrame(rest)
			if !whole {
				break
			}
			cut, rest = append(cut, frame{kind, string(body)}), more
		}
		if diff := cmp.Diff(read, cut); diff != "" {
			t.Error(diff)
		}
	})
}
