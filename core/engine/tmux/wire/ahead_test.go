package wire

import (
	"testing"

	"cupola/core/engine/enginetest"
)

func TestTheAnswerToWhatWasAskedAheadIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		asks        []string
		connections int
	}{
		"the same":         {[]string{"list-panes"}, 1},
		"another question": {[]string{"list-panes", "-a"}, 2},
	} {
		asked := make(chan struct{}, 10)
		path := listen(t, release("3.3a\nthe answer", asked))
		client := New(path)
		client.Expect(Ask(path, []string{"list-panes"}))
		r, err := client.Query(within(t), c.asks)
		if err != nil || string(r.Stdout) != "the answer\n" {
			t.Errorf("%s: %q, %v", name, r.Stdout, err)
		}
		for times := range c.connections {
			select {
			case <-asked:
			case <-within(t).Done():
				t.Fatalf("%s: asked %d times, want %d", name, times, c.connections)
			}
		}
		if len(asked) != 0 {
			t.Errorf("%s: asked more than %d times", name, c.connections)
		}
	}
}

func TestAnAnswerIsTakenOnce(t *testing.T) {
	h := launch(t)
	furnish(t, h)
	client := New(h.socket)
	client.Expect(Ask(h.socket, []string{"list-panes", "-a"}))
	for range 2 {
		got, err := client.Query(within(t), []string{"list-panes", "-a"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, []string{"list-panes", "-a"}, got, h.exec(t, "list-panes", "-a"))
	}
	if client.expected.Load() != nil {
		t.Error("an answer is still expected")
	}
}

func TestWhatOneServerWasAskedIsNoOthersAnswer(t *testing.T) {
	asked, others := make(chan struct{}, 10), make(chan struct{}, 10)
	client := New(listen(t, release("3.3a\nmine", asked)))
	client.Expect(Ask(listen(t, release("3.3a\nanother's", others)), []string{"list-panes"}))
	r, err := client.Query(within(t), []string{"list-panes"})
	if err != nil || string(r.Stdout) != "mine\n" {
		t.Errorf("%q, %v", r.Stdout, err)
	}
}

func TestNothingIsAskedAheadWithoutAListener(t *testing.T) {
	asked := Ask(enginetest.ShortDir(t)+"/none", []string{"list-panes"})
	if asked != nil {
		t.Errorf("%+v", asked)
	}
	New("/run/s").Expect(asked)
}
