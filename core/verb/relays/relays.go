// Package relays declares the verbs that ask backends without a pane, and that show, await and cancel relays.
package relays

import (
	"cmp"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/config"
	"cupola/core/record/store"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
	"cupola/core/verb"
)

// RunnerOf returns what asks backends: those of the agent kinds, the servers that are known, and
// those of the settings.
func RunnerOf(e *verb.Local, settings *config.Config) (*relay.Runner, error) {
	asker := askerOf(e, settings)
	own := make(map[string]usage.Price, len(settings.Prices))
	for model, price := range settings.Prices {
		own[model] = usage.Price(price)
	}
	prices := usage.DefaultPrices(own)
	return &relay.Runner{
		Relay: asker, Directory: Directory(e), Labels: labelsOf(e), Log: e.Log,
		Defaults: relay.Defaults{
			Backend: settings.Relay.Backend, Doubt: settings.Need("relay.backend"),
			Sandbox: relay.Sandbox(settings.Relay.Sandbox), Dir: e.Dir,
		},
		Price: func(model string, used *stream.Usage) (float64, bool) {
			return prices.Cost(model, store.UsageTokens{
				Input: used.Input, CacheRead: used.CacheRead, CacheWrite: used.CacheWrite, Output: used.Output,
				Reasoning: used.Reasoning,
			})
		},
	}, nil
}

// settle takes from the settings what a request leaves open. A review gets no other changes.
func settle(request *relay.Request, settings *config.Relay) {
	request.Base = cmp.Or(request.Base, settings.ReviewBase)
	request.Timeout = cmp.Or(request.Timeout, settings.Timeout)
	request.Quiet = cmp.Or(request.Quiet, settings.Quiet)
	request.Context.Diff = (request.Context.Diff || settings.IncludeDiff) && !request.Review
}

// Askable returns the backends that can be asked, as far as that is known without asking them, and
// the one that is asked where a request names none.
func Askable(e *verb.Local) (names []string, usual string, err error) {
	settings := e.Settings()
	asker := askerOf(e, settings)
	for _, b := range asker.Backends {
		if present(e, settings, asker, b) && (b.Program() != "" || asker.HasKey(b) == nil) {
			names = append(names, b.ID)
		}
	}
	return names, settings.Relay.Backend, nil
}

// present reports whether a backend is on this machine or was set up by its user, as far as that is known without
// asking it.
func present(e *verb.Local, settings *config.Config, asker *relay.Relay, b *relay.Backend) bool {
	program := b.Program()
	if server, is := b.Server(); is {
		switch tool, local := b.Tool(); {
		case server.KeyVariable != "" && asker.HasKey(b) == nil, settings.DescribesBackend(b.ID),
			e.Getenv(settings.Backends[b.ID].URLEnv) != "":
			return true
		case !local:
			return false
		default:
			program = tool.Program
		}
	}
	_, err := e.Bridges.Find(program)
	return err == nil
}

// Directory is where relays are on record.
func Directory(e *verb.Local) relay.Directory {
	return relay.Directory{
		Dir: e.Paths.Relays(), Index: e.Runs, Keep: e.Settings().Store.Age(), Changed: e.Runs.Changed,
	}
}

func labelsOf(e *verb.Local) relay.Labels { return relay.Labels{Dir: e.Paths.Relays(), Warn: e.Warn} }

// programOf returns the backend that a program of the settings is.
func programOf(id string, own *config.Backend) (*relay.Backend, error) {
	switch {
	case own.Protocol != string(relay.ByProtocol):
		return nil, core.Errorf(core.ConfigInvalid, "backends.%s.protocol: %q is not acp", id, own.Protocol)
	case len(own.Command) == 0:
		return nil, core.Errorf(core.ConfigInvalid, "backends.%s.command: is missing", id)
	}
	return relay.FromProtocol(id, own.Name, own.Command), nil
}

// askerOf are all that can be asked.
func askerOf(e *verb.Local, settings *config.Config) *relay.Relay {
	kinds := e.Kinds()
	all := relay.Backends{}
	for _, kind := range kinds.All() {
		if b, headless := relay.FromKind(kind, e.Self); headless {
			all = append(all, b)
		}
	}
	for id, own := range settings.Backends {
		if own.Protocol != "" || len(own.Command) > 0 {
			b, err := programOf(id, &own)
			if err != nil {
				e.Warn(err.Error() + "; it is not used")
				continue
			}
			all = append(all, b)
			continue
		}
		if own.API == "" && own.URL == "" {
			continue
		}
		b, err := relay.FromServer(id, own.Name, relay.Server{
			API: own.API, URL: cmp.Or(e.Getenv(own.URLEnv), own.URL), KeyVariable: own.KeyEnv,
		})
		if err != nil {
			e.Warn(err.Error() + "; it is not used")
			continue
		}
		b.Model = e.Getenv(own.ModelEnv)
		all = append(all, b)
	}
	for _, b := range all {
		b.Doubt = cmp.Or(b.Doubt, settings.Need("backends."+b.ID))
		b.Model = cmp.Or(settings.Backends[b.ID].Model, b.Model)
	}
	all.Sort()
	return &relay.Relay{
		Backends: all, Environ: e.Environ, Clock: e.Clock, LookPath: e.Bridges.Find,
		Sandboxes: verb.SandboxesOf(e), Trees: verb.Trees(e),
	}
}
