package command

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/relay"
	"cupola/core/report"
	"cupola/robot/registry"
)

type backendsFilter struct {
	Available bool `json:"available,omitempty" help:"Only those that can be asked now"`
}

type backendsIn struct {
	backendsFilter
	registry.Page `default:"limit=100"`
}

type backendsOut struct {
	Filters backendsFilter `json:"filters,omitzero"`
	// Default is the backend that is asked where a relay names none.
	Default string `json:"default"`
	// Backends has one row per backend: programs first, then servers of this machine, then others.
	Backends []backendRow `json:"backends" empty:"no backend can be asked"`
	// Available counts those of all that can be asked now.
	Available int `json:"available_count"`
	paged
}

// backendRow is something that can be asked, or could be. What is not known is empty.
type backendRow struct {
	_        struct{}       `minimal:"backend,available" standard:"backend,category,available,version,model,sandbox_modes"`
	_        struct{}       `table:"BACKEND,CATEGORY,STATE,MODEL,SANDBOX MODES"`
	Backend  string         `json:"backend" table:"BACKEND,strong"`
	Name     string         `json:"name"`
	Category relay.Category `json:"category" table:"CATEGORY"`
	// Available is true for programs that are installed and servers that answer.
	Available bool `json:"available"`
	// Detail is the version and path of a program or the address of a server, or what is wrong.
	Detail  string `json:"detail" table:"STATE,flex"`
	Version string `json:"version,omitempty"`
	// Model is the one that is asked where a relay names none; empty is the backend's own choice.
	Model   string `json:"model,omitempty" table:"MODEL"`
	Install string `json:"install,omitempty"`
	// Models are those of a server that answers.
	Models []string `json:"models"`
	// Modes are the names of the sandbox modes that it holds, Guarantees what each guarantees.
	Modes      []string           `json:"sandbox_modes" table:"SANDBOX MODES"`
	Guarantees []backendGuarantee `json:"guarantees"`
	// ReadsFiles is true where it can read the directory it is asked about, Continues where it keeps
	// conversations.
	ReadsFiles bool `json:"reads_files"`
	Continues  bool `json:"continues"`
}

// backendGuarantee is what one sandbox mode guarantees.
type backendGuarantee struct {
	Mode      relay.Sandbox `json:"mode"`
	Guarantee string        `json:"guarantee"`
}

var backends = registry.Define(registry.Spec[*Env, backendsIn, backendsOut]{
	Name: "backends", Group: groupRelay, Short: "List what a relay can ask, and what each sandbox mode guarantees",
	Aliases: []string{"backend list", "relay backend"},
	Long: "A backend is an agent's program that answers without a terminal, or a server that speaks the API of " +
		"Ollama or OpenAI. The three sandbox modes mean something else for each: guarantees says what. Programs are " +
		"asked for their versions, and servers for their models.",
	Scope: registry.Global, Effect: registry.Reads, List: "backends",
	Examples: []string{"", "--available"},
	Errors:   []core.Code{core.ConfigInvalid}, Run: runBackends,
}).SeeAlso("relay-list", "tools")

func runBackends(ctx context.Context, env *Env, in backendsIn) (backendsOut, error) {
	settings, err := env.Settings()
	if err != nil {
		return backendsOut{}, err
	}
	rows, err := env.backendRows(ctx, settings)
	if err != nil {
		return backendsOut{}, err
	}
	out := backendsOut{Filters: in.backendsFilter, Default: settings.Relay.Backend}
	var found []backendRow
	for i := range rows {
		if rows[i].Available {
			out.Available++
		}
		if rows[i].Available || !in.Available {
			found = append(found, rows[i])
		}
	}
	out.Backends, out.paged = cut(found, in.Page)
	return out, nil
}

// backendRows are all backends, with what is known of them now.
func (e *Env) backendRows(ctx context.Context, settings *config.Config) ([]backendRow, error) {
	asker, err := e.backends(settings)
	if err != nil {
		return nil, err
	}
	rows := make([]backendRow, len(asker.Backends))
	programs := make([]programRow, len(rows))
	var servers sync.WaitGroup
	for i, b := range asker.Backends {
		rows[i] = backendRowOf(b)
		if b.Program() != "" {
			path, err := e.Bridges.Find(b.Program())
			programs[i] = programRow{
				Tool: b.ID, Kind: toolAgent, Path: path, Installed: err == nil, version: []string{"--version"},
			}
			continue
		}
		servers.Go(func() { rows[i].probe(ctx, asker, b) })
	}
	askVersions(ctx, e, programs)
	servers.Wait()
	for i := range rows {
		if program := &programs[i]; program.Tool != "" {
			rows[i].Available, rows[i].Version = program.Installed, program.Version
			rows[i].Detail = "not found in PATH"
			if program.Installed {
				rows[i].Detail = strings.TrimSpace(program.Version + " in " + program.Path)
			}
		}
	}
	return rows, nil
}

func backendRowOf(b *relay.Backend) backendRow {
	row := backendRow{
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

// probe asks a server for its models.
func (r *backendRow) probe(ctx context.Context, asker *relay.Relay, b *relay.Backend) {
	server, _ := b.Server()
	if err := asker.HasKey(b); err != nil {
		r.Detail = server.URL + ": the variable " + server.KeyVariable + " is not set"
		return
	}
	models, err := b.Models(ctx, asker.Environ)
	switch {
	case err != nil:
		r.Detail = server.URL + ": " + err.Error()
	case len(models) == 0:
		r.Detail = server.URL + ": no models"
	default:
		r.Available, r.Models = true, models
		r.Detail = fmt.Sprintf("%s (%s)", server.URL, plural(len(models), "model"))
	}
}

// Report shows the table, and under it what each sandbox mode guarantees.
func (o backendsOut) Report() *report.Report {
	r := report.TableOf(o.Backends, time.Time{}, "no backend can be asked").Report()
	for i := range o.Backends {
		row := &o.Backends[i]
		if !row.Available {
			continue
		}
		block := report.Block{Heading: row.Name}
		for _, g := range row.Guarantees {
			block.Lines = append(block.Lines,
				report.Line{report.Toned(report.Code, string(g.Mode)+" "), report.Text(g.Guarantee)})
		}
		r.Add(block)
	}
	return r
}
