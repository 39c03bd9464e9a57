package overview

import (
	"context"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/background"
	"cupola/core/agent/transcript"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type backgroundIn struct {
	ID string `arg:"1" help:"Open this session in this terminal, or answer with the command that does (default: list all)"`
}

type backgroundOut struct {
	// Sessions has a row for each session that an agent's program runs without a terminal, in its order.
	Sessions []backgroundRow `json:"background_sessions" empty:"no agent runs in the background"`
	// Attach is the command that opens the session that was named; absent if none was.
	Attach *backgroundAttachOut `json:"attach,omitempty"`
}

// Plan is the command that opens the session that was named.
func (o backgroundOut) Plan() []string {
	if o.Attach == nil {
		return nil
	}
	return o.Attach.Argv
}

// backgroundRow is a session that an agent's program runs without a terminal.
type backgroundRow struct {
	_ struct{} `minimal:"kind,id,state" standard:"kind,id,name,state,reason,dir"`
	_ struct{} `table:"ID,KIND,STATE,NAME,FOLDER,STARTED,REPLY"`
	// ID is the program's own name for it.
	ID   string    `json:"id" table:"ID"`
	Kind core.Kind `json:"kind" table:"KIND,dim"`
	// Name is its subject, in the program's words.
	Name  string     `json:"name,omitempty" table:"NAME,flex"`
	State core.State `json:"state"`
	// Reason says why, from a closed list for each state.
	Reason core.Reason `json:"reason,omitempty"`
	Dir    string      `json:"dir,omitempty" table:"FOLDER,dim"`
	PID    int         `json:"pid,omitempty"`
	// Conversation is the id of its conversation.
	Conversation string    `json:"conversation,omitempty"`
	StartedAt    time.Time `json:"started_at,omitzero" table:"STARTED,dim,ago"`
	// Reply is the last thing that it said, from its own record; Complete is true if its turn ended with that.
	Reply    string `json:"reply,omitempty" table:"REPLY,flex"`
	Complete bool   `json:"complete,omitempty"`
}

// Cell shows a session's state.
func (r *backgroundRow) Cell(title string) (report.Cell, bool) {
	if title == "STATE" {
		return report.State(core.Status{State: r.State, Reason: r.Reason}), true
	}
	return report.Cell{}, false
}

var listBackground = registry.Define(registry.Spec[*verb.Env, backgroundIn, backgroundOut]{
	Name: "background", Group: verb.GroupSee, Short: "List agents' sessions without a terminal",
	Long: "Asks each agent's program for its list, such as 'claude agents --json', which takes up to 10 s. They are " +
		"in no pane: no prompt reaches them from here. One is opened by the agent's own command, such as 'claude " +
		"attach'; in robot mode the answer has that command.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "background_sessions",
	Examples: []string{""},
	Errors:   attachBackground.Errors, Run: runBackground,
}).SeeAlso("status")

func (o backgroundOut) Next() []registry.Action {
	for i := range o.Sessions {
		if row := &o.Sessions[i]; row.State == core.Waiting {
			return verb.NextOnly("attach", "Get the command that opens the session that waits", "background", row.ID)
		}
	}
	return nil
}

func runBackground(ctx context.Context, env *verb.Env, in backgroundIn) (backgroundOut, error) {
	sessions, err := backgroundSessions(ctx, env)
	var out backgroundOut
	for i := range sessions {
		row := backgroundRowOf(sessions[i])
		row.addReply(ctx, env)
		out.Sessions = append(out.Sessions, row)
	}
	if err == nil && in.ID != "" {
		var opens backgroundAttachOut
		if opens, err = attachCommand(env, sessions, in.ID); err == nil {
			out.Attach = &opens
		}
	}
	return out, err
}

// backgroundSessions asks the programs of all kinds, side by side. One that fails is a warning while others answer.
func backgroundSessions(ctx context.Context, env *verb.Env) ([]background.Session, error) {
	kinds := env.Kinds().All()
	lists, failed := make([][]background.Session, len(kinds)), make([]error, len(kinds))
	var asked sync.WaitGroup
	for i, kind := range kinds {
		asked.Go(func() { lists[i], failed[i] = background.List(ctx, kind, env.Environ) })
	}
	asked.Wait()
	var all []background.Session
	var first error
	for i := range kinds {
		all = append(all, lists[i]...)
		if failed[i] != nil && first == nil {
			first = failed[i]
		}
	}
	if len(all) > 0 && first != nil {
		env.Warn(first.Error())
		first = nil
	}
	return all, first
}

// runningSessions returns the background sessions of all kinds whose processes run, without asking any program; none
// if a session with terminals is asked for, since they are no part of one.
func runningSessions(env *verb.Env, session string) []background.Session {
	if session != "" {
		return nil
	}
	var all []background.Session
	for _, kind := range env.Kinds().All() {
		all = append(all, background.Running(kind.ID, env.Getenv)...)
	}
	return all
}

func backgroundRowOf(s background.Session) backgroundRow {
	return backgroundRow{
		ID: s.ID, Kind: s.Kind, Name: s.Name, State: s.Status.State, Reason: s.Status.Reason,
		Dir: s.Dir, PID: s.PID, Conversation: s.Conversation, StartedAt: s.Started,
	}
}

// addReply adds what the session said last.
func (r *backgroundRow) addReply(ctx context.Context, env *verb.Env) {
	account, err := transcript.ReadSession(ctx, r.Kind, env.Getenv, r.Dir, r.Conversation)
	if err == nil && account.Session == r.Conversation {
		r.Reply, r.Complete = account.Turn.Message, account.Turn.Complete
	}
}

type backgroundAttachIn struct {
	ID string `arg:"1" required:"true" lister:"background" help:"The session's id, as 'background' lists it"`
}

type backgroundAttachOut struct {
	// Command is the command that shows the session on a person's terminal.
	Command string   `json:"command" names:"command-line"`
	Argv    []string `json:"argv"`
}

var attachBackground = registry.Define(registry.Spec[*verb.Env, backgroundAttachIn, backgroundAttachOut]{
	Name: "background-attach", Of: "background", Group: verb.GroupSee,
	Short: "Open a background session in this terminal, or print the command that does",
	Long:  "Uses the agent's own command, such as 'claude attach'. In robot mode it returns the command to run.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true,
	Examples: []string{"7f3a91c2"},
	Errors: []core.Code{
		core.NotFound, core.BackendFailed, core.Timeout, core.IOError, core.ToolNotFound, core.PermissionDenied,
	},
	Run: runBackgroundAttach,
}).SeeAlso("background")

func (o backgroundAttachOut) Plan() []string { return o.Argv }

func (o backgroundAttachOut) Report() *report.Report {
	return report.Say(report.Text("Run: "), report.Toned(report.Code, o.Command))
}

func runBackgroundAttach(ctx context.Context, env *verb.Env, in backgroundAttachIn) (backgroundAttachOut, error) {
	sessions, err := backgroundSessions(ctx, env)
	if err != nil {
		return backgroundAttachOut{}, err
	}
	return attachCommand(env, sessions, in.ID)
}

// attachCommand is the command that opens one of some sessions.
func attachCommand(env *verb.Env, sessions []background.Session, id string) (backgroundAttachOut, error) {
	missing := core.Errorf(core.NotFound, "no background session has the id %q", id)
	for i := range sessions {
		if s := &sessions[i]; s.ID == id {
			kind, _ := env.Kinds().Find(string(s.Kind))
			if argv, ok := background.Attach(kind, s.ID); ok {
				return backgroundAttachOut{Command: shell.Line(argv...), Argv: argv}, nil
			}
		}
		missing.Suggestions = append(missing.Suggestions, sessions[i].ID)
	}
	return backgroundAttachOut{}, missing
}
