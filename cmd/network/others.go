package network

import (
	"context"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/joined"
)

// Others are the other hosts of a picture, such as the dashboard's.
type Others struct {
	network *Network
	// allowed reports whether a host may be shown; nil is all.
	allowed func(name string) bool
	// bus is true if there is one, on which own is this machine's name.
	bus bool
	own string

	mu sync.Mutex
	// settings are the hosts of the settings, and chosen those that are enabled.
	settings host.Hosts
	chosen   []*host.Host
	// onBus are the hosts that were found on the bus.
	onBus map[string]bool
}

// Others are the enabled hosts, and those of the bus, of those that words name; no words are all. It is nil if
// there are none and no bus.
func (n *Network) Others(words ...string) *Others {
	settings := n.Env.Settings()
	d := &Others{network: n, bus: settings.Bus.URL != "", onBus: map[string]bool{}}
	if d.bus {
		d.own, _ = settings.Bus.HostName() // without a name it is not there
	}
	if len(words) > 0 {
		d.allowed = func(name string) bool { return isNamed(words, name) }
	}
	d.read(settings)
	if len(d.chosen) == 0 && !d.bus {
		return nil
	}
	return d
}

// read takes the hosts of the settings in.
func (d *Others) read(settings *config.Config) {
	hosts := host.Of(settings.Hosts)
	hosts.Timeout = d.network.Timeout
	chosen, _ := hosts.Select("*") // without hosts there is none
	if d.allowed != nil {
		chosen = slices.DeleteFunc(chosen, func(h *host.Host) bool { return !d.allowed(h.Name) })
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settings, d.chosen = hosts, chosen
}

// Join adds what the hosts show, also those that are added meanwhile.
func (d *Others) Join(ctx context.Context, local keeper.Stream) keeper.Stream {
	changes := make(chan []*host.Host)
	go d.reread(ctx, changes)
	others := joined.Others{
		Hosts: d.chosen, Changes: changes, Open: d.network.Open, Version: d.network.Env.Version,
		Fleet: host.FleetOf(d.network.Env.Paths.Runtime),
	}
	if d.bus {
		others.Follow, others.Skip = d.follow, append(d.settings.Names(), d.own)
		if d.allowed != nil {
			others.Follow = d.followAllowed
		}
	}
	return joined.Join(ctx, local, others, time.Now)
}

// rereadEvery is how often it is looked whether the settings have changed.
const rereadEvery = 2 * time.Second

// reread sends the hosts of the settings each time that the user's file of settings has changed, until ctx ends.
func (d *Others) reread(ctx context.Context, changes chan<- []*host.Host) {
	file := d.network.Env.Paths.File()
	last, _ := os.Stat(file) // there may be none
	for core.Sleep(ctx, rereadEvery) == nil {
		info, err := os.Stat(file)
		if err != nil || last != nil && info.ModTime().Equal(last.ModTime()) && info.Size() == last.Size() {
			continue
		}
		last = info
		settings := d.network.Env.Location.Settings()
		if settings.Need("hosts") != nil {
			continue // what is written there is in doubt
		}
		d.read(settings)
		select {
		case changes <- d.chosen:
		case <-ctx.Done():
		}
	}
}

// followAllowed follows the hosts of the bus that may be shown.
func (d *Others) followAllowed(ctx context.Context, each func(*bus.HostState)) error {
	return d.follow(ctx, func(seen *bus.HostState) {
		if d.allowed(seen.Host) {
			each(seen)
		}
	})
}

// isNamed reports whether one of the words is a host's name, or a pattern of it.
func isNamed(words []string, name string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		fits, err := path.Match(word, name)
		return word == host.All || err == nil && fits
	})
}

// busAgain is when a bus that does not answer is asked again.
const busAgain = 3 * time.Second

// follow follows the bus, once it answers.
func (d *Others) follow(ctx context.Context, each func(*bus.HostState)) error {
	for {
		conn, err := d.network.Bus(ctx)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it was to end
		case err == nil:
			return conn.Follow(ctx, func(seen *bus.HostState) {
				d.mu.Lock()
				d.onBus[seen.Host] = true
				d.mu.Unlock()
				each(seen)
			})
		case !core.AsError(err).HasCode(core.NetworkError):
			return err
		}
		if core.Sleep(ctx, busAgain) != nil {
			return nil //nolint:nilerr // it was to end
		}
	}
}

// find returns a host by its name; nil if there is none.
func (d *Others) find(name string) *host.Host {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h, known := d.settings.Find(name); known {
		return h
	}
	if !d.onBus[name] {
		return nil
	}
	return &host.Host{Name: name, OnBus: true, Timeout: d.settings.Timeout}
}

// Address reads an address; one of a host that is not known is of this machine.
func (d *Others) Address(text string) core.Address {
	at := core.ParseAddress(text)
	if at.Host == "" || d.find(at.Host) == nil {
		return core.ParseLocalAddress(text)
	}
	return at
}

// Attach returns the command that opens a session or pane of another host.
func (d *Others) Attach(at core.Address) ([]string, error) {
	h := d.find(at.Host)
	if h == nil {
		return nil, d.settings.UnknownError(at.Host)
	}
	if h.OnBus {
		return d.network.TerminalOn(h, "")
	}
	// The host says how, with Cupola or without.
	return []string{d.network.Env.Self, "attach", at.String(), "--human"}, nil
}
