// Package bustest has a NATS server, for tests.
package bustest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startWithin is how long a server may take to start.
const startWithin = 20 * time.Second

// Server is a NATS server with JetStream in this process.
type Server struct {
	*server.Server

	tb      testing.TB
	options server.Options
}

// New starts a server that ends with the test. Users are who is let in; none is everybody.
func New(tb testing.TB, users ...*server.User) *Server {
	tb.Helper()
	return NewWith(tb, func(options *server.Options) { options.Users = users })
}

// Documented starts a server with the file of the page about other hosts, at a path. Its users laptop, which looks,
// desk, which acts, and gpu7, a host, have the password x.
func Documented(t *testing.T, page string) *Server {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), "```\njetstream {}\n")
	file, _, ends := strings.Cut(rest, "```")
	if !begins || !ends {
		t.Fatalf("%s has no file of the server", page)
	}
	for _, name := range []string{"LAPTOP", "DESK", "GPU7"} {
		file = strings.Replace(file, "$"+name+"_PASSWORD", "x", 1)
	}
	path := filepath.Join(t.TempDir(), "bus.conf")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Users) != 3 {
		t.Fatalf("the file has %d users", len(parsed.Users))
	}
	return New(t, parsed.Users...)
}

// NewWith is New with other options.
func NewWith(tb testing.TB, set func(options *server.Options)) *Server {
	tb.Helper()
	s := &Server{tb: tb, options: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: tb.TempDir(), NoLog: true, NoSigs: true,
	}}
	set(&s.options)
	s.start()
	tb.Cleanup(s.Stop)
	return s
}

func (s *Server) start() {
	s.tb.Helper()
	options := s.options
	var err error
	if s.Server, err = server.NewServer(&options); err != nil {
		s.tb.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(startWithin) {
		s.tb.Fatal("the NATS server does not start")
	}
	s.options.Port = options.Port
}

// Stop ends the server.
func (s *Server) Stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// Restart ends the server and starts it again at the same address, with what it stored or, with empty, without.
func (s *Server) Restart(empty bool) {
	s.tb.Helper()
	s.Stop()
	if empty {
		s.options.StoreDir = s.tb.TempDir()
	}
	s.start()
}
