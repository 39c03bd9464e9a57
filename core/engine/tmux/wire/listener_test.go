package wire

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// listen answers each connection by serve and returns the socket's path.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	path := filepath.Join(enginetest.ShortDir(t), "s")
	listener, err := net.Listen("unix", path)
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
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return path
}

// drink reads what a client sends until it hangs up.
func drink(conn net.Conn) { io.Copy(io.Discard, conn) }

func TestOtherListenersAreErrorsInBoundedTime(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"hangs up":         func(net.Conn) {},
		"hears, hangs up":  func(conn net.Conn) { conn.Read(make([]byte, maxMessage)) },
		"silent":           drink,
		"greets":           func(conn net.Conn) { io.WriteString(conn, "220 mail.example ESMTP\r\n"); drink(conn) },
		"echoes":           func(conn net.Conn) { io.Copy(conn, conn) },
		"talks for ever":   func(conn net.Conn) { io.Copy(conn, &endless{message: say(msgFlags, "", 0, 0)}) },
		"refuses politely": func(conn net.Conn) { conn.Write(say(msgExit, "", 1)); drink(conn) },
	} {
		t.Run(name, func(t *testing.T) {
			client := open(listen(t, serve))
			want := ErrProtocol
			if name == "silent" || name == "talks for ever" {
				client.timeout, want = 100*time.Millisecond, engine.ErrSilent
			}
			if _, err := client.Run(within(t), []string{"list-panes"}); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
}

func TestAListenerThatNeverAcceptsDoesNotAnswer(t *testing.T) {
	path := filepath.Join(enginetest.ShortDir(t), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	client := open(path)
	client.timeout = 50 * time.Millisecond
	if _, err := client.Probe(within(t)); !errors.Is(err, engine.ErrSilent) {
		t.Errorf("%v, want engine.ErrSilent", err)
	}
}

// release returns a server that only answers with its version and counts requests.
func release(version string, asked chan<- struct{}) func(net.Conn) {
	return func(conn net.Conn) {
		if n, _ := conn.Read(make([]byte, maxMessage)); n == 0 {
			return
		}
		asked <- struct{}{}
		conn.Write(slices.Concat(say(msgWriteOpen, "", 1, 1, 0), say(msgWrite, version+"\n", 1), say(msgExit, "", 0)))
		drink(conn)
	}
}

func TestVersions(t *testing.T) {
	for version, allowed := range map[string]bool{
		"3.2": true, "3.2a": true, "3.3a": true, "3.4": true, "3.5a": true, "3.6b": true, "3.7": true, "3.7c": true,
		"2.9": false, "3.1c": false, "3.8": false, "3.20": false, "4.2": false, "3.2aa": false, "3.6-rc": false,
		"next-3.6": false, "master": false, "openbsd-7.7": false, "3.3a\n3.3a": false, "": false,
	} {
		asked := make(chan struct{}, 10)
		client := open(listen(t, release(version, asked)))
		got, err := client.Probe(within(t))
		if got != version {
			t.Errorf("version %q, want %q", got, version)
		}
		if allowed != (err == nil) || !allowed && !errors.Is(err, ErrVersion) {
			t.Errorf("%q: %v, want allowed %v", version, err, allowed)
		}
		if _, err := client.Run(within(t), []string{"list-panes"}); allowed != (err == nil) {
			t.Errorf("%q: run: %v", version, err)
		}
		if calls := len(asked); calls != 1 && !allowed {
			t.Errorf("%q was asked %d times", version, calls)
		}
	}
}

func TestSurprisingServerIsNotSpokenToAgain(t *testing.T) {
	asked := make(chan struct{}, 10)
	handler := release("3.3a", asked)
	client := open(listen(t, func(conn net.Conn) {
		if len(asked) == 0 {
			handler(conn)
			return
		}
		if n, _ := conn.Read(make([]byte, maxMessage)); n > 0 {
			asked <- struct{}{}
			conn.Write(say(999, ""))
		}
	}))
	for range 3 {
		if _, err := client.Run(within(t), []string{"list-panes"}); !errors.Is(err, ErrProtocol) {
			t.Errorf("%v, want ErrProtocol", err)
		}
	}
	if len(asked) != 2 {
		t.Errorf("asked %d times, want for the version and once more", len(asked))
	}
}
