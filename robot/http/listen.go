package http

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cupola/core"
)

// Time limits of requests. Streams have none for their answers.
const (
	headerWithin = 10 * time.Second
	bodyWithin   = time.Minute
	idleFor      = 2 * time.Minute
	endWithin    = 3 * time.Second
	maxHeader    = 64 << 10
)

// Address says where a server listens.
type Address struct {
	// Listen is HOST:PORT. With port 0 it is any that is free.
	Listen string
	// Next is how many ports after a taken one are tried.
	Next int
	// Cert and Key are the files of a certificate; without them only a loopback address is allowed.
	Cert, Key string
}

// Open listens; clients may speak HTTP/2 where there is a certificate. An address that others can reach is InvalidInput
// without one, and one that is taken is Conflict.
func (a Address) Open(ctx context.Context) (net.Listener, error) {
	host, port, err := net.SplitHostPort(a.Listen)
	if err != nil {
		return nil, &core.Error{
			Code: core.InvalidInput, Message: "no address HOST:PORT: " + clipped(a.Listen),
			Hint: "For example: 127.0.0.1:7777.",
		}
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 0 || number > 65535 {
		return nil, core.Errorf(core.InvalidInput, "no port: %s", clipped(port))
	}
	if host != "localhost" && !loopback(host) && (a.Cert == "" || a.Key == "") {
		return nil, &core.Error{
			Code: core.InvalidInput, Message: "others can reach " + clipped(a.Listen) + ", and there is no certificate",
			Hint: "Listen on 127.0.0.1, or give a certificate and its key.",
		}
	}
	var secure *tls.Config
	if a.Cert != "" || a.Key != "" {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, core.Errorf(core.InvalidInput, "the certificate cannot be used: %w", err)
		}
		secure = &tls.Config{
			Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		}
	}
	for tried := 0; ; tried++ {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(number)))
		switch {
		case err == nil && secure != nil:
			return tls.NewListener(listener, secure), nil
		case err == nil:
			return listener, nil
		case tried >= a.Next || number == 0:
			return nil, core.Errorf(core.Conflict, "listen on %s: %w", a.Listen, err)
		}
		number++
	}
}

// Names returns the names in the certificate, in lower case; none without one.
func (a Address) Names() []string {
	pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
	if err != nil || pair.Leaf == nil {
		return nil
	}
	names := core.Map(pair.Leaf.DNSNames, strings.ToLower)
	for _, ip := range pair.Leaf.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// Serve answers on a listener until ctx ends; then requests have a moment to end.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler: timed(handler), ReadHeaderTimeout: headerWithin, IdleTimeout: idleFor,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return requests },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return core.Errorf(core.IOError, "serve: %w", err)
	case <-ctx.Done():
	}
	cancel() // streams end
	closing, done := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer done()
	if err := server.Shutdown(closing); err != nil {
		_ = server.Close()
	}
	if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return core.Errorf(core.IOError, "serve: %w", err)
	}
	return nil
}

// timed gives the body of each request a time limit. The answer has none, so that a stream may last.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			control := http.NewResponseController(w)
			if control.SetReadDeadline(time.Now().Add(bodyWithin)) == nil {
				r.Body = &timedBody{r.Body, control}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody lifts the time limit once it was read.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read reads on.
func (b *timedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
