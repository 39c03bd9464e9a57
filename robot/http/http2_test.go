package http_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/robot/http"
)

// certificate is a certificate of 127.0.0.1 with its key, and a client's settings that trust it.
func certificate(t *testing.T) (tls.Certificate, *tls.Config) {
	t.Helper()
	issuer := httptest.NewTLSServer(nil)
	defer issuer.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(issuer.Certificate())
	trusting := &tls.Config{RootCAs: trusted, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS13}
	return issuer.TLS.Certificates[0], trusting
}

// saved writes a certificate and its key to files.
func saved(t *testing.T, pair *tls.Certificate) (cert, key string) {
	t.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	save := func(name, kind string, bytes []byte) string {
		path := filepath.Join(dir, name)
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return save("cert.pem", "CERTIFICATE", pair.Certificate[0]), save("key.pem", "PRIVATE KEY", private)
}

// serve serves on a listener until the test ends, or until the function it returns is called.
func serve(t *testing.T, listener net.Listener, handler nethttp.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := http.Serve(ctx, listener, handler); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		serving.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// get asks over a transport with the token. The answer's body is closed when the test ends.
func get(t *testing.T, by *nethttp.Transport, url string) *nethttp.Response {
	t.Helper()
	request, err := nethttp.NewRequestWithContext(t.Context(), "GET", url, nethttp.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := by.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// With a certificate the page, the calls and the streams are sent over HTTP/2, and over HTTP/1.1 to clients that know
// no other.
func TestTLSHasHTTP2(t *testing.T) {
	pair, trusting := certificate(t)
	cert, key := saved(t, &pair)
	listener, err := http.Address{Listen: "127.0.0.1:0", Cert: cert, Key: key}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	serve(t, listener, handler(t, nil))
	for major, protocols := range map[int][]string{1: {"http/1.1"}, 2: {"h2", "http/1.1"}} {
		client := &nethttp.Transport{TLSClientConfig: trusting.Clone(), Protocols: new(nethttp.Protocols)}
		client.Protocols.SetHTTP1(true)
		client.Protocols.SetHTTP2(major == 2)
		client.TLSClientConfig.NextProtos = protocols
		t.Cleanup(client.CloseIdleConnections)
		for path, part := range map[string]string{
			"/": "<title>Cupola", "/api/v1/status": `"success":true`, "/api/v1/events": "event: resync",
		} {
			response := get(t, client, "https://"+listener.Addr().String()+path)
			if response.StatusCode != nethttp.StatusOK || response.ProtoMajor != major {
				t.Errorf("%s: %s over %s, not HTTP/%d", path, response.Status, response.Proto, major)
			}
			lines := bufio.NewScanner(response.Body)
			found := false
			for !found && lines.Scan() {
				found = strings.Contains(lines.Text(), part)
			}
			if !found {
				t.Errorf("%s over HTTP/%d has no %s", path, major, part)
			}
		}
	}
}

// pipes is a listener for connections within this process.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.dialed <- there
	return here, nil
}

// Accept returns the next connection.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialed:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close ends it.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr is no address that others could dial.
func (*pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// A stream on which nothing happens lives on. In HTTP/2 the deadline of a write would end it, even after the write is
// done.
func TestQuietStreamsLast(t *testing.T) {
	pair, trusting := certificate(t)
	for major := 1; major <= 2; major++ {
		synctest.Test(t, func(t *testing.T) {
			const beats = 8 // one in 15 s
			listener := newPipes()
			secure := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
			client := &nethttp.Transport{
				TLSClientConfig: trusting.Clone(), DialContext: listener.dial, Protocols: new(nethttp.Protocols),
			}
			client.Protocols.SetHTTP1(major == 1)
			client.Protocols.SetHTTP2(major == 2)
			if major == 2 {
				secure.NextProtos = []string{"h2"}
			}
			stop := serve(t, tls.NewListener(listener, secure), handler(t, nil))
			began := time.Now()
			response := get(t, client, "https://127.0.0.1/api/v1/events")
			if response.ProtoMajor != major {
				t.Fatalf("it is sent over %s", response.Proto)
			}
			heard := 0
			for lines := bufio.NewScanner(response.Body); heard < beats && lines.Scan(); {
				if lines.Text() == ": heartbeat" {
					heard++
				}
			}
			if heard < beats || time.Since(began) < time.Minute {
				t.Errorf("HTTP/%d: the stream has ended after %d heartbeats, %v", major, heard, time.Since(began))
			}
			_ = response.Body.Close()
			client.CloseIdleConnections()
			stop()
		})
	}
}
