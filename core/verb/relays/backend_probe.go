package relays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"

	"cupola/core/agent/account"
	"cupola/core/config"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/money"
	"cupola/core/verb/tools"
)

// AskPrograms asks programs for their versions.
type AskPrograms func(ctx context.Context, env *verb.Local, rows []tools.ProgramRow)

// CheckBackend returns an error if the settings choose a backend that does not exist.
func CheckBackend(e *verb.Local, settings *config.Config) error {
	_, err := askerOf(e, settings).Backends.Find(settings.Relay.Backend)
	return err
}

// CheckBackends is CheckBackend for the names of a list of backends.
func CheckBackends(e *verb.Local, settings *config.Config, names []string) error {
	for _, name := range names {
		if _, err := askerOf(e, settings).Backends.Find(name); err != nil {
			return err
		}
	}
	return nil
}

// BackendRows are all backends, with what is known of them now. Programs are asked for their
// versions and servers for their models, all at once.
func BackendRows(ctx context.Context, e *verb.Local, settings *config.Config, ask AskPrograms) ([]BackendRow, error) {
	asker := askerOf(e, settings)
	rows := make([]BackendRow, len(asker.Backends))
	programs := make([]tools.ProgramRow, len(rows))
	var servers sync.WaitGroup
	for i, b := range asker.Backends {
		rows[i] = backendRowOf(b)
		if _, isServer := b.Server(); !isServer {
			path, err := e.Bridges.Find(b.Program())
			programs[i] = tools.ProgramRow{
				Tool: b.ID, Kind: tools.ToolAgent, Path: path, Installed: err == nil,
				VersionArgs: []string{"--version"},
			}
			continue
		}
		rows[i].Present = present(e, settings, asker, b)
		servers.Go(func() { rows[i].probe(ctx, e, asker, b) })
	}
	ask(ctx, e, programs)
	servers.Wait()
	for i := range rows {
		if programs[i].Tool != "" {
			rows[i].found(e, &programs[i])
		}
	}
	return rows, nil
}

func backendRowOf(b *relay.Backend) BackendRow {
	row := BackendRow{
		Backend: b.ID, Name: b.Name, Category: b.Category, Model: b.Model, Install: b.Install, Models: []string{},
		Modes: []string{}, Guarantees: []backendGuarantee{}, ReadsFiles: b.ReadsFiles(), Continues: b.Continues(),
	}
	for _, mode := range relay.Sandboxes() {
		if guarantee, held := b.Modes[mode]; held {
			row.Modes = append(row.Modes, string(mode))
			row.Guarantees = append(row.Guarantees, backendGuarantee{mode, guarantee})
		}
	}
	return row
}

// found takes what is known of a backend's program.
func (r *BackendRow) found(env *verb.Local, program *tools.ProgramRow) {
	r.Present, r.Version = program.Installed, program.Version
	where := strings.TrimSpace(program.Version + " in " + program.Path)
	switch {
	case !program.Installed:
		r.Detail, r.Fix = "not found in PATH", r.Install
	case program.Problem != "":
		r.Detail, r.Fix = "it does not start: "+program.Problem, r.Install
	default:
		r.Available, r.Detail = true, where
		r.signIn(env, program.Path)
	}
}

// signIn looks for what signs a program in. No secret is read for it.
func (r *BackendRow) signIn(env *verb.Local, program string) {
	i := slices.IndexFunc(account.Providers, func(p account.Provider) bool { return string(p.Kind) == r.Backend })
	if i < 0 {
		return
	}
	provider := &account.Providers[i]
	found := money.AccountsOf(env, provider)
	has := func(state account.State) bool {
		return slices.ContainsFunc(found, func(a account.Account) bool { return a.State == state })
	}
	switch {
	case has(account.SignedIn), has(account.Unknown):
	case has(account.Expired):
		r.Available, r.Fix = false, program
		r.Detail = "what signs in at " + provider.Name + " has expired; sign in again"
	default:
		r.Doubt = "no sign-in at " + provider.Name + " was found, but it may have its own settings"
	}
}

// probe asks a server for its models.
func (r *BackendRow) probe(ctx context.Context, env *verb.Local, asker *relay.Relay, b *relay.Backend) {
	server, _ := b.Server()
	if err := asker.HasKey(b); err != nil {
		r.Detail = server.URL + ": the variable " + server.KeyVariable + " is not set"
		r.Fix = "export " + server.KeyVariable + "=KEY"
		return
	}
	models, err := b.Models(ctx, asker.Environ)
	tool, local := b.Tool()
	pull := ""
	if local {
		pull = tool.Pull + " " + cmp.Or(b.Model, relay.DefaultModel)
	}
	switch {
	case err != nil:
		r.Detail = server.URL + ": " + silence(ctx, err)
		if local {
			r.missing(env, tool)
		}
	case len(models) == 0:
		r.Present, r.Detail, r.Fix = true, server.URL+": no models", pull
	default:
		r.Present, r.Available, r.Models = true, true, models
		r.Detail = fmt.Sprintf("%s (%s)", server.URL, verb.Plural(len(models), "model"))
		switch {
		case b.Model == "":
			r.Doubt = "no model is set, so each relay must name one"
		case !slices.Contains(models, b.Model) && !slices.Contains(models, b.Model+":latest"):
			r.Doubt, r.Fix = "it has no model "+b.Model, pull
		}
	}
}

// missing says why a server of this machine does not answer.
func (r *BackendRow) missing(env *verb.Local, tool relay.ServerTool) {
	if _, err := env.Bridges.Find(tool.Program); err == nil {
		r.Detail, r.Fix = "installed but not running ("+r.Detail+")", tool.Start
		return
	}
	_, err := env.Bridges.Find("brew")
	r.Install = tools.Installation(tool.Install, runtime.GOOS, err == nil)
	r.Detail, r.Fix = "not installed ("+r.Detail+")", r.Install
}

// silence says why a server gave no answer, without its address.
func silence(ctx context.Context, err error) string {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		if failed.Timeout() && ctx.Err() == nil {
			return "no answer within 3s"
		}
		err = failed.Err
	}
	return err.Error()
}
