package bus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"cupola/core"
	"cupola/core/host"
)

const (
	// connectWithin is how long the first connection may take.
	connectWithin = 5 * time.Second
	// pingEvery and pingsMost are how a connection that is dead is noticed.
	pingEvery, pingsMost = 10 * time.Second, 2
	// sendMost is how much may wait for a connection that was lost, in bytes. What does not fit fails.
	sendMost = 1 << 20
)

// Conn is a connection to the bus. It is restored by itself when it was lost.
type Conn struct {
	nc  *nats.Conn
	js  jetstream.JetStream
	log *slog.Logger

	mu sync.Mutex
	// denied are called with each refusal of the server.
	denied map[*pipe]func(text string)
	// readDenied is the newest refusal of what is needed to see hosts; empty if there was none.
	readDenied string
}

// Connect connects to the bus. The error is ConfigInvalid where the settings cannot be right, NetworkError where the
// bus does not answer, AuthFailed where one of the two does not trust the other.
func Connect(ctx context.Context, settings *host.Bus, log *slog.Logger) (*Conn, error) {
	settings, err := checked(settings)
	if err != nil {
		return nil, err
	}
	c := &Conn{log: log, denied: map[*pipe]func(string){}}
	options := []nats.Option{
		nats.Name("cupola"), nats.Timeout(connectWithin), nats.MaxReconnects(-1),
		nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(500*time.Millisecond, time.Second),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsMost), nats.ReconnectBufSize(sendMost),
		nats.IgnoreAuthErrorAbort(),
		nats.CustomInboxPrefix(settings.InboxPrefix()),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.failed(err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("the connection to the bus was lost", "error", err)
			}
		}),
	}
	if settings.Credentials != "" {
		options = append(options, nats.UserCredentials(settings.Credentials))
	}
	if settings.CA != "" {
		options = append(options, nats.RootCAs(settings.CA))
	}
	if settings.Certificate != "" {
		options = append(options, nats.ClientCert(settings.Certificate, settings.Key))
	}
	type connected struct {
		nc  *nats.Conn
		err error
	}
	done := make(chan connected, 1)
	go func() {
		nc, err := nats.Connect(settings.URL, options...)
		done <- connected{nc, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, connectError(got.err)
		}
		c.nc = got.nc
	case <-ctx.Done():
		go func() {
			if late := <-done; late.nc != nil {
				late.nc.Close()
			}
		}()
		return nil, ctx.Err()
	}
	js, err := jetstream.New(c.nc)
	if err != nil {
		c.nc.Close()
		return nil, core.Errorf(core.InternalError, "open JetStream: %w", err)
	}
	c.js = js
	return c, nil
}

// connectError is why a connection could not be made, with settings that can be right.
func connectError(err error) error {
	unknown, verification := x509.UnknownAuthorityError{}, (*tls.CertificateVerificationError)(nil)
	remote := (*net.OpError)(nil)
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrNkeysNotSupported):
		return core.Errorf(core.AuthFailed, "the bus does not let this machine in: %w", err)
	case errors.As(err, &unknown), errors.As(err, &verification):
		return core.Errorf(core.AuthFailed, "the certificate of the bus is not trusted: %w", err)
	case errors.Is(err, nats.ErrTLS), errors.Is(err, nats.ErrSecureConnRequired),
		errors.Is(err, nats.ErrSecureConnWanted), errors.As(err, &remote) && remote.Op == "remote error":
		return core.Errorf(core.AuthFailed, "the bus and this machine do not agree on TLS: %w", err)
	}
	return core.Errorf(core.NetworkError, "the bus does not answer: %w", err)
}

// Close sends what waits and ends the connection.
func (c *Conn) Close() {
	if c.nc.IsConnected() {
		_ = c.nc.FlushTimeout(connectWithin) // callers notice what was not sent
	}
	c.nc.Close()
}

// failed handles what the server says beside answers.
func (c *Conn) failed(err error) {
	c.log.Warn("the bus complains", "error", err)
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(err.Error(), "$JS.API.") {
		c.readDenied = err.Error()
	}
	for _, denied := range c.denied {
		denied(err.Error())
	}
}

// readDeniedError is why this machine may not see hosts; nil if it may, as far as is known.
func (c *Conn) readDeniedError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.readDenied == "" {
		return nil
	}
	return core.Errorf(core.PermissionDenied, "the bus does not let this machine see hosts: %s",
		core.Excerpt(c.readDenied))
}

// watchDenials calls denied with every refusal until forget is called.
func (c *Conn) watchDenials(of *pipe, denied func(string)) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied[of] = denied
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.denied, of)
	}
}
