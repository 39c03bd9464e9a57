package process

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestAListenerIsFoundWithoutItsFile(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "l i") //nolint:usetesting // the path of a socket is short, and may have blanks
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path, link := filepath.Join(dir, "a b"), filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if p, is := Listener(path); is {
		t.Errorf("before: %+v", p)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []string{path, filepath.Join(link, "a b")} {
		if p, is := Listener(asked); !is || p.PID != os.Getpid() {
			t.Errorf("%s: %+v, %v", asked, p, is)
		}
	}
	if p, is := Listener(path + " c"); is {
		t.Errorf("another path: %+v", p)
	}
	_ = listener.Close()
	if p, is := Listener(path); is {
		t.Errorf("afterwards: %+v", p)
	}
}
