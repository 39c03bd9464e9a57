package relays

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/tools"
)

type backendsFilter struct {
	Available bool `json:"available,omitempty" help:"Only those that can be asked now"`
}

type backendsIn struct {
	backendsFilter
	Conversations bool `help:"List the conversations that 'relay --label' continues instead"`
	registry.Page `default:"limit=100"`
}

type backendsOut struct {
	Filters backendsFilter `json:"filters,omitzero"`
	// Default is the backend that is asked where a relay names none.
	Default string `json:"default"`
	// Backends has one row per backend: programs first, then servers of this machine, then others.
	Backends []BackendRow `json:"backends" empty:"no backend can be asked"`
	// Available counts those of all that can be asked now.
	Available int `json:"available_count"`
	verb.Paged
	// Labelled are the conversations that have a label; absent without --labels.
	Labelled *relayLabelsOut `json:"relay_labels,omitempty"`

	// at is when it was asked.
	at time.Time
}

// BackendRow is something that can be asked, or could be. What is not known is empty.
type BackendRow struct {
	_        struct{}       `minimal:"backend,available" standard:"backend,category,available,version,model,sandbox_modes"`
	_        struct{}       `table:"BACKEND,CATEGORY,STATE,MODEL,SANDBOX MODES"`
	Backend  string         `json:"backend" table:"BACKEND,strong"`
	Name     string         `json:"name"`
	Category relay.Category `json:"category" table:"CATEGORY"`
	// Available is true for programs that are installed and start, unless their sign-in has expired,
	// and for servers that answer and have models.
	Available bool `json:"available"`
	// Detail is the version and path of a program or the address of a server, or what is wrong.
	Detail  string `json:"detail" table:"STATE,flex"`
	Version string `json:"version,omitempty"`
	// Model is the model that is asked where a relay names none; empty is the backend's own choice.
	Model   string `json:"model,omitempty" table:"MODEL"`
	Install string `json:"install,omitempty" names:"command"`
	// Fix is the command that makes it available, or gets the model that it lacks.
	Fix string `json:"fix,omitempty" names:"command"`
	// Models are the models of a server that answers.
	Models []string `json:"models"`
	// Modes are the names of the sandbox modes that it holds, Guarantees what each guarantees.
	Modes      []string           `json:"sandbox_modes" table:"SANDBOX MODES"`
	Guarantees []backendGuarantee `json:"guarantees"`
	// ReadsFiles is true where it can read the directory it is asked about, Continues where it keeps
	// conversations.
	ReadsFiles bool `json:"reads_files"`
	Continues  bool `json:"continues"`

	// present is true for what is installed, answers, or was set up by the user; the others are offers.
	Present bool `json:"-"`
	// doubt is a reason why an available one may not answer.
	Doubt string `json:"-"`
}

// backendGuarantee is the guarantee of one sandbox mode.
type backendGuarantee struct {
	Mode      relay.Sandbox `json:"mode"`
	Guarantee string        `json:"guarantee"`
}

var backends = registry.Define(registry.Spec[*verb.Local, backendsIn, backendsOut]{
	Name: "backends", Group: verb.GroupRelay, Short: "List what a relay can ask, and what each sandbox mode guarantees",
	Aliases: []string{"backend list", "relay backend"},
	Long: "A backend is an agent's program that answers without a terminal, or a server that speaks the API of " +
		"Ollama or OpenAI. The three sandbox modes mean something else for each: guarantees says what. Programs are " +
		"asked for their versions, and servers for their models.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "backends",
	Examples: []string{"", "--available"},
	Errors:   []core.Code{core.ConfigInvalid, core.IOError, core.PermissionDenied, core.NotFound}, Run: runBackends,
}).SeeAlso("run-list", "tools")

func runBackends(ctx context.Context, env *verb.Local, in backendsIn) (backendsOut, error) {
	settings := env.Settings()
	if in.Conversations {
		labels, err := labelled(env, in.Page)
		return backendsOut{Default: settings.Relay.Backend, Paged: labels.Paged, Labelled: &labels, at: env.Now()}, err
	}
	rows, err := BackendRows(ctx, env, settings, tools.AskVersions)
	if err != nil {
		return backendsOut{}, err
	}
	out := backendsOut{Filters: in.backendsFilter, Default: settings.Relay.Backend}
	var found []BackendRow
	for i := range rows {
		if rows[i].Available {
			out.Available++
		}
		if rows[i].Available || !in.Available {
			found = append(found, rows[i])
		}
	}
	out.Backends, out.Paged = verb.Cut(found, in.Page)
	return out, nil
}

// Report shows the table, and under it what each sandbox mode guarantees.
func (o backendsOut) Report() *report.Report {
	if o.Labelled != nil {
		return report.TableOf(o.Labelled.Conversations, o.at, "no conversation has a label").Report()
	}
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
