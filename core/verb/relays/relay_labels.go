package relays

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type relayLabelsIn struct {
	registry.Page `default:"limit=100"`
}

type relayLabelsOut struct {
	// Conversations has a row for each conversation, the one used last first.
	Conversations []labelRow `json:"conversations" empty:"no conversation has a label"`
	verb.Paged
}

// labelRow is a conversation that a relay can continue.
type labelRow struct {
	_         struct{}      `minimal:"label,backend" standard:"label,backend,dir,model,sandbox,prompt_count,last_used_at"`
	_         struct{}      `table:"LABEL,BACKEND,PROMPTS,USED,SANDBOX,FOLDER"`
	Label     string        `json:"label" table:"LABEL,strong"`
	Backend   string        `json:"backend" table:"BACKEND"`
	Dir       string        `json:"dir" table:"FOLDER,dim,flex"`
	Model     string        `json:"model,omitempty"`
	Sandbox   relay.Sandbox `json:"sandbox" table:"SANDBOX"`
	Session   string        `json:"backend_session,omitempty"`
	Prompts   int           `json:"prompt_count" table:"PROMPTS"`
	CreatedAt time.Time     `json:"created_at"`
	LastUsed  time.Time     `json:"last_used_at" table:"USED,dim,ago"`
}

var relayLabels = registry.Define(registry.Spec[*verb.Local, relayLabelsIn, relayLabelsOut]{
	Name: "relay-labels", Of: "backends --conversations", Group: verb.GroupRelay,
	Short: "List the conversations that 'relay --label' continues",
	Long: "A conversation keeps its folder and sandbox mode. The session of the backend that answered last continues " +
		"if it has one; another one, named with --to, gets the last turns. The 100 that were used last are kept.",
	Scope: registry.Global, Effect: registry.Reads, List: "conversations",
	Examples: []string{""},
	Errors:   []core.Code{core.IOError, core.PermissionDenied, core.NotFound},
	Run: func(_ context.Context, env *verb.Local, in relayLabelsIn) (relayLabelsOut, error) {
		return labelled(env, in.Page)
	},
}).SeeAlso("run-list")

// labelled are the conversations that have a label.
func labelled(env *verb.Local, page registry.Page) (out relayLabelsOut, err error) {
	all, err := labelsOf(env).All()
	if err != nil {
		return out, err
	}
	rows := core.Map(all, func(c relay.Conversation) labelRow {
		return labelRow{
			Label: c.Label, Backend: c.Backend, Dir: c.Dir, Model: c.Model, Sandbox: c.Sandbox, Session: c.Session,
			Prompts: c.Count, CreatedAt: c.Created, LastUsed: c.LastUsed,
		}
	})
	out.Conversations, out.Paged = verb.Cut(rows, page)
	return out, nil
}
