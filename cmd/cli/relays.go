package cli

import (
	"context"
	"time"

	"cupola/core/alert"
	"cupola/core/config"
	"cupola/core/relay"
)

// failedRelays returns what tells which relays failed, for the alerts.
func failedRelays(paths config.Paths) func(context.Context) ([]alert.Relay, error) {
	book := relay.Book{Dir: paths.Relays()}
	return func(context.Context) ([]alert.Relay, error) {
		failing := book.Failing(time.Now())
		relays := make([]alert.Relay, len(failing))
		for i := range failing {
			f := &failing[i]
			relays[i] = alert.Relay{
				Subject: "relay/" + f.Backend, Since: f.At, Count: f.Count,
				Message: "a relay to " + f.Backend + " failed: " + f.Message,
			}
			if f.Interrupted {
				relays[i].Subject = "relay/" + f.ID
				relays[i].Message = "a relay to " + f.Backend + " was interrupted: " + f.Message
			}
		}
		return relays, nil
	}
}
