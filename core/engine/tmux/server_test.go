package tmux_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/system/shell/shelltest"
)

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tmux")
	if err := shelltest.WriteProgram(path, []byte("#!/bin/sh\n"+text)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWithoutTmuxNothingIsAvailable(t *testing.T) {
	for _, transport := range transports {
		s, err := tmux.Open(tmux.Options{
			Binary: "/nowhere/tmux", Socket: filepath.Join(t.TempDir(), "s"),
			Transport: transport,
		})
		if err != nil {
			t.Fatal(err)
		}
		_, listed := s.List(t.Context(), 0)
		_, informed := s.Info(t.Context())
		_, created := s.Create(t.Context(), engine.Launch{Session: "s"})
		for name, err := range map[string]error{"List": listed, "Info": informed, "Create": created} {
			if !errors.Is(err, engine.ErrUnavailable) {
				t.Errorf("%s, %s: %v", transport, name, err)
			}
		}
	}
}

func TestAnOldTmuxIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"answers anything": "echo tmux 3.1\n",
		"refuses the rest": `[ "$1" = -V ] && echo tmux 3.1c && exit; echo "unknown option -- e" >&2; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := tmux.Open(tmux.Options{
				Binary: script(t, text), Socket: filepath.Join(t.TempDir(), "s"),
				Transport: tmux.Exec,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, listed := s.List(t.Context(), 0)
			_, informed := s.Info(t.Context())
			_, created := s.Create(t.Context(), engine.Launch{Session: "s"})
			_, captured := s.Capture(t.Context(), engine.Ask{Pane: "%0"})
			for name, err := range map[string]error{
				"List": listed, "Info": informed, "Create": created,
				"Capture": captured,
			} {
				if !errors.Is(err, engine.ErrTooOld) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// A server that behaves as no tmux does is left alone, and the tmux program
// asked from then on.
func TestASurpriseOnTheSocketTurnsToExec(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(enginetest.ShortDir(t), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte(strings.Repeat("HTTP/1.1 400 Bad Request\r\n", 20)))
			conn.Close()
		}
	}()
	calls := filepath.Join(t.TempDir(), "calls")
	binary := script(t, `[ "$1" = -V ] && echo tmux 3.3a && exit; echo "$@" >>'`+calls+"'\n")
	s, err := tmux.Open(tmux.Options{Binary: binary, Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if l, err := s.List(t.Context(), 0); err != nil || len(l.Panes) != 0 {
			t.Errorf("List: %+v, %v", l, err)
		}
	}
	info, err := s.Info(t.Context())
	if err != nil || info.Transport != tmux.Exec || info.Note == "" {
		t.Errorf("Info: %+v, %v", info, err)
	}
	if made, _ := os.ReadFile(calls); strings.Count(string(made), "list-sessions") != 2 {
		t.Errorf("calls: %s", made)
	}
	strict, err := tmux.Open(tmux.Options{Binary: binary, Socket: socket, Transport: tmux.Socket})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strict.List(t.Context(), 0); err == nil {
		t.Error("the socket transport fell back")
	}
}

func TestInfoNamesTheTransport(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		info, err := s.Info(t.Context())
		if err != nil || !strings.HasSuffix(t.Name(), info.Transport) || info.Note != "" ||
			info.Socket != server.Socket {
			t.Errorf("Info: %+v, %v", info, err)
		}
		if want := server.Run("display-message", "-p", "#{version}"); info.Version != want {
			t.Errorf("version %q, want %q", info.Version, want)
		}
	})
}

func TestSocketOfAnotherUserIsDenied(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("everything is root's")
	}
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		if err := os.Chmod(server.Socket, 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(server.Socket, 0o600)
		if _, err := s.List(t.Context(), 0); !errors.Is(err, engine.ErrDenied) {
			t.Errorf("List: %v", err)
		}
	})
}

func TestAServerThatHangsIsLeftWithTheContext(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		if _, err := s.List(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		pid := number(t, server.Run("display-message", "-p", "#{pid}"))
		enginetest.Suspend(t, pid)
		defer syscall.Kill(pid, syscall.SIGCONT)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := s.List(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("List: %v", err)
		}
		if err := s.Press(ctx, "%0", "x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Press: %v", err)
		}
	})
}

func TestInsideAnotherSessionTheSameIsDone(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			outer, server := enginetest.Private(t).Start(), enginetest.Private(t)
			server.Environ = append(server.Environ, "TMUX="+outer.Socket+",1,0", "TMUX_PANE=%0")
			s := open(t, server, transport)
			loc, err := s.Create(t.Context(), engine.Launch{Session: "inner", Argv: []string{"sleep", "100000"}})
			if err != nil {
				t.Fatal(err)
			}
			if l, err := s.List(t.Context(), 0); err != nil || len(l.Panes) != 1 || l.Panes[0].ID != loc.Pane ||
				l.Sessions[0].Name != "inner" {
				t.Errorf("List: %+v, %v", l, err)
			}
			implied, err := tmux.Open(tmux.Options{
				Binary: server.Binary, Transport: transport,
				Environ: server.Environ,
			})
			if err != nil {
				t.Fatal(err)
			}
			if l, err := implied.List(t.Context(), 0); err != nil || l.Sessions[0].Name != "first" {
				t.Errorf("by $TMUX: %+v, %v", l, err)
			}
		})
	}
}

func TestALabelIsAServerInTmuxsOwnFolder(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for _, transport := range transports {
		for _, label := range []string{"", "other"} {
			server := enginetest.Private(t)
			s, err := tmux.Open(tmux.Options{
				Binary: server.Binary, Label: label, Transport: transport,
				Environ: server.Environ,
			})
			if err != nil {
				t.Fatal(err)
			}
			info, err := s.Info(t.Context())
			if err != nil || !strings.HasPrefix(info.Socket, server.Dir) {
				t.Fatalf("Info: %+v, %v", info, err)
			}
			loc, err := s.Create(t.Context(), engine.Launch{Session: "s", Argv: []string{"sleep", "100000"}})
			if err != nil {
				t.Fatal(err)
			}
			server.Socket = info.Socket
			if got := server.Run("list-sessions", "-F", "#{session_name}"); got != "s" {
				t.Errorf("%s %q: sessions %q", transport, label, got)
			}
			if err := s.KillSession(t.Context(), loc.Session); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is done to a server leaves nothing but what was asked for: no client, no
// buffer, no option.
func TestNothingIsLeftBehind(t *testing.T) {
	eachTransport(t, func(t *testing.T, server *enginetest.Tmux, s *tmux.Server) {
		server.Start()
		options := server.Options()
		ctx, cancel := context.WithCancel(t.Context())
		feed := s.Watch(ctx)
		feed.SetFocus(engine.Focus{Watched: true, Visible: []core.PaneID{"%0"}})
		loc, err := s.Create(t.Context(), engine.Launch{
			Session: "made", Env: []string{"ODD=1"}, Argv: []string{"cat"},
			Tags: map[string]string{engine.TagKind: "x"}, SessionTags: map[string]string{engine.TagOrigin: "spawn"},
		})
		if err != nil {
			t.Fatal(err)
		}
		dead, err := s.Create(t.Context(), engine.Launch{Into: loc.Session, Argv: []string{"true"}})
		if err != nil {
			t.Fatal(err)
		}
		big := []byte(strings.Repeat("x", 50_000))
		for _, pane := range []core.PaneID{loc.Pane, dead.Pane, "%77"} {
			s.Paste(t.Context(), pane, []byte("small"))
			s.Paste(t.Context(), pane, big)
			ended, end := context.WithCancel(t.Context())
			end()
			s.Paste(ended, pane, []byte("small"))
			s.Paste(ended, pane, big)
			s.Press(t.Context(), pane, "Enter")
			s.Resize(t.Context(), pane, 90, 30)
			s.Capture(t.Context(), engine.Ask{Pane: pane, History: 5, Join: true})
			if clients := server.Run("list-clients"); clients != "" {
				t.Errorf("clients: %s", clients)
			}
		}
		if err := s.Tag(t.Context(), engine.Tag{Pane: loc.Pane, Name: engine.TagState, Value: "idle"}); err != nil {
			t.Error(err)
		}
		<-feed.Changes()
		cancel()
		if left := server.Run("list-buffers"); left != "" {
			t.Errorf("buffers: %s", left)
		}
		if now := server.Options(); now != options {
			t.Errorf("options were\n%s\nand are\n%s", options, now)
		}
		if got := server.Run("show-options", "-w", "-t", "first:"); got != "" {
			t.Errorf("options of a foreign window: %s", got)
		}
		if got := server.Run("show-environment", "-t", "made"); strings.Contains(got, "ODD") {
			t.Errorf("environment: %s", got)
		}
		if got := server.Run("list-sessions", "-F", "#{session_name}"); got != "first\nmade" {
			t.Errorf("sessions: %s", got)
		}
	})
}
