package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"cupola/core"
)

// Check is something of the bus that was tried.
type Check struct {
	Name string
	// Found is a sentence about the finding, Err the fault; nil without one.
	Found string
	Err   error
}

// Check tries what the bus must have. What is not there yet is made by the first host that serves.
func (c *Conn) Check(ctx context.Context) []Check {
	ctx, stop := context.WithTimeout(ctx, publishWithin)
	defer stop()
	server := fmt.Sprintf("NATS %s, messages up to %d KB", c.nc.ConnectedServerVersion(), c.nc.MaxPayload()>>10)
	if c.nc.TLSRequired() {
		server += ", with TLS"
	}
	checks := []Check{{Name: "server", Found: server}}
	for _, store := range []struct{ name, stream string }{
		{"events", streamName}, {"pictures", "KV_" + bucketName},
	} {
		check := Check{Name: store.name}
		stream, err := c.js.Stream(ctx, store.stream)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			check.Found = "not there yet: the first host that serves makes it"
		case err != nil:
			check.Err = core.Errorf(core.NotReady, "%s cannot be read, which needs JetStream and its permission: %w",
				store.stream, err)
		default:
			state := stream.CachedInfo().State
			if stream.CachedInfo().Config.AllowRollup {
				check.Err = core.Errorf(core.Conflict, "any host may clear %s, which an older Cupola made: remove "+
					"that stream, and the first host that serves makes it anew", store.stream)
			}
			check.Found = fmt.Sprintf("%s has %d messages, %d KB", store.stream, state.Msgs, state.Bytes>>10)
		}
		checks = append(checks, check)
	}
	return checks
}
