package host

import (
	"os"
	"strings"

	"cupola/core"
)

// Bus is the NATS server that connects hosts. The zero value is none.
type Bus struct {
	// URL is the server, or several with commas; nats://, tls:// or wss://.
	URL string `toml:"url" doc:"NATS server that connects hosts, such as tls://bus.example.com; empty is none" guard:"it says where your screens and prompts go"`
	// Host is this machine's name there; empty is its hostname up to the first dot.
	Host string `toml:"host" doc:"Name of this machine on the bus; empty is its hostname" guard:"it says who this machine is"`
	// Credentials is a file of NATS credentials, CA, Certificate and Key are files of TLS; empty is none.
	Credentials string `toml:"credentials" doc:"File of credentials for the bus" guard:"it is a secret of yours"`
	CA          string `toml:"ca" doc:"File of the authorities that the bus's certificate is checked against; empty is the system's" guard:"it says whom to trust"`
	Certificate string `toml:"certificate" doc:"File of this machine's certificate for the bus" guard:"it says who this machine is"`
	Key         string `toml:"key" doc:"File of that certificate's key" guard:"it is a secret of yours"`
	// Inbox is the prefix of the subjects on which answers come; empty is _INBOX with this machine's name behind it.
	Inbox string `toml:"inbox" doc:"Prefix of the subjects of answers, which no other client may read; empty is _INBOX.NAME, with the name of this machine on the bus" guard:"it says who can read answers"`
}

// HostName is this machine's name on the bus.
func (b *Bus) HostName() (string, error) {
	name := b.Host
	if name == "" {
		full, err := os.Hostname()
		if err != nil {
			return "", core.Errorf(core.IOError, "the name of this machine is not known: %w", err)
		}
		name, _, _ = strings.Cut(full, ".")
	}
	if err := CheckName(name); err != nil {
		return "", core.Errorf(core.ConfigInvalid, "bus.host, or the hostname where it is not set: %w", err)
	}
	return name, nil
}

// inboxes is the prefix of all subjects of answers.
const inboxes = "_INBOX"

// InboxPrefix is the prefix of the subjects on which this machine gets answers. No other one should be able to read
// them.
func (b *Bus) InboxPrefix() string {
	if b.Inbox != "" {
		return b.Inbox
	}
	name, err := b.HostName()
	if err != nil {
		return inboxes // it serves nothing, for want of a name
	}
	return inboxes + "." + name
}
