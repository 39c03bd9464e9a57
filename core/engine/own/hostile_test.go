package own_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
	"cupola/core/engine/own/wire"
)

func TestNonsenseOnTheSocketHarmsNobody(t *testing.T) {
	t.Parallel()
	s := private(t)
	loc := createIn(t, s, "s", "echo ready; exec sleep 1000")
	for _, nonsense := range [][]byte{
		nil, []byte("GET / HTTP/1.1\r\n\r\n"),
		{0xff, 0xff, 0xff, 0xff, 'h'},
		{0, 0, 0, 0, 0},
		{0, 0, 0, 3, 'h', '{', '}', 0},
		bytes.Repeat([]byte{0}, 1<<16), append([]byte{0, 0, 0, 3, 'h', '{', '}'}, 0, 0, 0, 5, 'q', 'n', 'u', 'l', 'l'),
		append([]byte{0, 0, 0, 3, 'h', '{', '}'}, 0, 0, 0, 11, 'q', '{', '"', 'o', 'p', '"', ':', '"', 'x', '"', '}'),
	} {
		conn, err := net.Dial("unix", s.SocketPath())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write(nonsense) // the server may have closed it by then
		_ = conn.Close()
	}
	shows(t, s, loc.Pane, "ready")
}

// TestWhoDoesNotReadDelaysNobody leaves a watcher and a viewer unread while panes print.
func TestWhoDoesNotReadDelaysNobody(t *testing.T) {
	t.Parallel()
	s := private(t)
	noise := createIn(t, s, "noise", "while true; do seq 2000; done")
	quiet := createIn(t, s, "quiet", `while read x; do echo "got $x"; done`)
	conn, err := net.Dial("unix", s.SocketPath())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	focus := engine.Focus{Watched: true}
	err = errors.Join(wire.WriteJSON(conn, wire.HelloFrame, wire.Hello{Version: wire.Version}),
		wire.WriteJSON(conn, wire.RequestFrame, wire.Request{Op: wire.Watch, Focus: &focus}))
	if err != nil {
		t.Fatal(err)
	}
	viewing, err := s.View(t.Context(), noise.Session, noise.Pane, 80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer viewing.Close()
	for i := range 50 {
		word := fmt.Sprintf("word%d", i)
		if err := s.Paste(t.Context(), quiet.Pane, []byte(word+"\n")); err != nil {
			t.Fatal(err)
		}
		shows(t, s, quiet.Pane, "got "+word)
	}
}

func TestAProgramThatDoesNotReadIsPastedTo(t *testing.T) {
	t.Parallel()
	s := private(t)
	deaf := createIn(t, s, "deaf", "stty raw -echo; echo ready; exec sleep 1000")
	other := createIn(t, s, "other", `while read x; do echo "got $x"; done`)
	shows(t, s, deaf.Pane, "ready")
	text := bytes.Repeat([]byte("x"), 1<<20)
	for range 3 {
		if err := s.Paste(t.Context(), deaf.Pane, text); err != nil {
			t.Fatal(err)
		}
	}
	var refused error
	for i := 0; i < 100 && refused == nil; i++ {
		refused = s.Paste(t.Context(), deaf.Pane, text)
	}
	if refused == nil || !strings.Contains(refused.Error(), "does not read") {
		t.Errorf("without end it is taken: %v", refused)
	}
	if err := s.Paste(t.Context(), other.Pane, []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, other.Pane, "got hello")
	if err := s.KillPane(t.Context(), deaf.Pane); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return !running(deaf.PID) }, nil)
}

func TestSizesThatNoWindowCanHaveAreRefused(t *testing.T) {
	t.Parallel()
	s := private(t)
	loc := createIn(t, s, "s", "exec sleep 1000")
	for _, size := range [][2]int{{0, 24}, {80, 0}, {-1, -1}, {100_000, 24}, {4000, 4000}} {
		if err := s.Resize(t.Context(), loc.Pane, size[0], size[1]); err == nil {
			t.Errorf("%v is taken", size)
		}
	}
	if _, err := s.Create(t.Context(), engine.Launch{Session: "huge", Width: 4000, Height: 4000}); err == nil {
		t.Error("a huge session is made")
	}
}

func TestAFileInPlaceOfTheSocketStays(t *testing.T) {
	t.Parallel()
	s := private(t)
	if err := os.WriteFile(s.SocketPath(), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), engine.Launch{Session: "s"}); err == nil {
		t.Error("a server runs")
	}
	if text, err := os.ReadFile(s.SocketPath()); string(text) != "precious" {
		t.Errorf("%q, %v", text, err)
	}
	if files, _ := filepath.Glob(s.SocketPath() + "*"); len(files) > 2 {
		t.Errorf("left: %q", files)
	}
}

// sizeOf is the size of a pane.
func sizeOf(t testing.TB, s *own.Server, loc engine.Location) [2]int {
	t.Helper()
	l, err := s.List(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(l.Panes, func(p engine.Pane) bool { return p.ID == loc.Pane })
	if i < 0 {
		t.Fatalf("%s is gone", loc.Pane)
	}
	return [2]int{l.Panes[i].View.Width, l.Panes[i].View.Height}
}

func hasSize(t testing.TB, s *own.Server, loc engine.Location, width, height int) {
	t.Helper()
	enginetest.Eventually(t, enginetest.Timeout,
		func() bool { return sizeOf(t, s, loc) == [2]int{width, height} },
		func() string { return fmt.Sprintf("it is %v, not %d by %d", sizeOf(t, s, loc), width, height) })
}

// TestViewersSeeAndType attaches two terminals of two sizes: who typed last decides the size.
func TestViewersSeeAndType(t *testing.T) {
	t.Parallel()
	s := private(t)
	loc := createIn(t, s, "s", `echo before; while read x; do echo "got $x"; done`)
	shows(t, s, loc.Pane, "before")
	var seen [2]chan string
	var viewings [2]*own.Viewing
	for i, size := range [][2]int{{80, 24}, {100, 30}} {
		viewing, err := s.View(t.Context(), loc.Session, loc.Pane, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { viewing.Close() })
		viewings[i], seen[i] = viewing, make(chan string, 1)
		go func() {
			all := ""
			for {
				output, err := viewing.Output()
				all += string(output)
				if err != nil {
					seen[i] <- all + "\n" + err.Error()
					return
				}
			}
		}()
	}
	hasSize(t, s, loc, 100, 30)
	if l, err := s.List(t.Context(), 0); err != nil || l.Sessions[0].Attached != 2 {
		t.Errorf("%+v, %v", l.Sessions, err)
	}
	for i, viewing := range viewings {
		if err := viewing.Type([]byte(fmt.Sprintf("from%d\r", i))); err != nil {
			t.Fatal(err)
		}
		hasSize(t, s, loc, []int{80, 100}[i], []int{24, 30}[i])
		shows(t, s, loc.Pane, fmt.Sprintf("got from%d", i))
	}
	for width := range 200 {
		if err := viewings[0].Resize(50+width, 20); err != nil {
			t.Fatal(err)
		}
	}
	hasSize(t, s, loc, 249, 20)
	if err := s.KillSession(t.Context(), loc.Session); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if all := <-seen[i]; !strings.Contains(all, "before") || !strings.Contains(all, "got from1") {
			t.Errorf("viewer %d has seen %q", i, all)
		}
	}
	if _, err := s.View(t.Context(), loc.Session, "", 80, 24); !errors.Is(err, engine.ErrNoServer) {
		t.Errorf("a session that is gone: %v", err)
	}
}

// TestAFolderBehindALinkIsNotUsed reaches a server through a link to its folder, and starts none there.
func TestAFolderBehindALinkIsNotUsed(t *testing.T) {
	t.Parallel()
	s := private(t)
	createIn(t, s, "s", "exec sleep 1000")
	link := filepath.Join(enginetest.ShortDir(t), "l")
	if err := os.Symlink(filepath.Dir(s.SocketPath()), link); err != nil {
		t.Fatal(err)
	}
	linked := enginetest.OwnClient(t, filepath.Join(link, "s"), nil)
	start := time.Now()
	if l, err := linked.List(t.Context(), 0); !errors.Is(err, engine.ErrDenied) {
		t.Errorf("it is asked: %+v, %v", l, err)
	}
	if took := time.Since(start); took > own.Opts(linked).Timeout/2 {
		t.Errorf("the refusal takes %v", took)
	}
	other := enginetest.OwnClient(t, filepath.Join(link, "other"), nil)
	if _, err := other.Create(t.Context(), engine.Launch{Session: "s"}); err == nil {
		t.Error("a server is started behind the link")
	}
	if found, _ := filepath.Glob(filepath.Join(link, "other*")); len(found) > 0 {
		t.Errorf("it left %q", found)
	}
}

// TestAForeignGreetingIsShort sends a first frame without end.
func TestAForeignGreetingIsShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(enginetest.ShortDir(t), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	sent := make(chan int, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			sent <- 0
			return
		}
		defer conn.Close()
		n, _ := conn.Write(append([]byte{0x0f, 0xff, 0xff, 0xff, 'h'}, bytes.Repeat([]byte{' '}, 8<<20)...))
		sent <- n
	}()
	if _, err := enginetest.OwnClient(t, path, nil).List(t.Context(), 0); err == nil {
		t.Error("it is taken for a server")
	}
	if n := <-sent; n > 1<<20 {
		t.Errorf("%d bytes were read of it", n)
	}
}
