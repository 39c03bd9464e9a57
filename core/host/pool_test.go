package host_test

import (
	"context"
	"io"
	"net"
	"testing"

	"cupola/core/host"
)

func TestALinkIsKeptForTheNextCallUntilItIsLost(t *testing.T) {
	var others []net.Conn
	pool := &host.Pool{Open: func(ctx context.Context, h *host.Host, _ host.Access) (*host.Link, error) {
		here, there := net.Pipe()
		others = append(others, there)
		go func() { _, _ = io.WriteString(there, `{"cupola":"remote","protocol":1}`+"\n") }()
		return host.NewLink(ctx, h, here)
	}}
	gpu := &host.Host{Name: "gpu"}
	get := func(access host.Access) *host.Link {
		t.Helper()
		link, err := pool.Get(t.Context(), gpu, access)
		if err != nil {
			t.Fatal(err)
		}
		return link
	}
	first, second := get(host.Reads), get(host.Reads)
	if first != second || len(others) != 1 {
		t.Fatalf("%d links for two calls", len(others))
	}
	if get(host.Acts) == first {
		t.Error("what reads and what acts have one link")
	}
	first.Close()
	second.Close()
	select {
	case <-first.Lost():
		t.Fatal("the link was closed behind the calls")
	default:
	}
	others[0].Close()
	<-first.Lost()
	again := get(host.Reads)
	if again == first {
		t.Error("a link that is lost is used again")
	}
	again.Close()
	pool.Close()
	<-again.Lost()
}
