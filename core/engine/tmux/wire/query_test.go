package wire

import (
	"errors"
	"net"
	"testing"

	"cupola/core/engine"
)

func TestAFirstQueryAnswersLikeTheProgram(t *testing.T) {
	h := launch(t)
	furnish(t, h)
	for _, argv := range [][]string{
		{"list-panes", "-a"},
		{"list-sessions", ";", "list-panes", "-a", "-F", "#{pane_id}\n"},
		{"display-message", "-p", ""},
		{"display-message", "-p", "one", ";", "has-session", "-t", "=none", ";", "display-message", "-p", "three"},
		{"capture-pane", "-p", "-t", "%999"},
		{"no-such-command"},
		{"list-panes", "-Z"},
	} {
		client := open(h.socket)
		got, err := client.Query(within(t), argv)
		if err != nil {
			t.Errorf("%q: %v", argv, err)
			continue
		}
		again, err := client.Query(within(t), argv)
		if err != nil {
			t.Errorf("%q again: %v", argv, err)
		}
		same(t, argv, again, got)
		want := h.exec(t, argv...)
		want.Stderr = getopt.ReplaceAll(want.Stderr, nil)
		same(t, argv, got, want)
		if known := client.verdict.Load(); known == nil || known.version == "" || known.err != nil {
			t.Errorf("%q leaves the verdict %+v", argv, known)
		}
	}
}

func TestAFirstQueryTakesOneConnection(t *testing.T) {
	for version, allowed := range map[string]bool{
		"3.2a": true, "3.7": true, "3.1c": false, "next-3.8": false,
		"": false,
	} {
		asked := make(chan struct{}, 10)
		client := open(listen(t, release(version+"\nthe answer", asked)))
		r, err := client.Query(within(t), []string{"list-panes"})
		if allowed && (err != nil || string(r.Stdout) != "the answer\n") || !allowed && !errors.Is(err, ErrVersion) {
			t.Errorf("%q: %q, %v", version, r.Stdout, err)
		}
		if len(asked) != 1 {
			t.Errorf("%q was asked %d times", version, len(asked))
		}
	}
}

func TestASurprisingServerIsQueriedOnce(t *testing.T) {
	asked := make(chan struct{}, 10)
	client := open(listen(t, func(conn net.Conn) {
		if n, _ := conn.Read(make([]byte, maxMessage)); n > 0 {
			asked <- struct{}{}
			conn.Write(say(999, ""))
		}
	}))
	for range 3 {
		if _, err := client.Query(within(t), []string{"list-panes"}); !errors.Is(err, ErrProtocol) {
			t.Errorf("%v, want ErrProtocol", err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
	_, err := open("/nonexistent/socket").Query(within(t), []string{"list-panes"})
	if !errors.Is(err, engine.ErrNoServer) {
		t.Errorf("%v, want engine.ErrNoServer", err)
	}
}
