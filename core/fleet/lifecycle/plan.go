package lifecycle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/config/recipe"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
	"cupola/core/git/worktree"
	"cupola/core/system/shell"
	"cupola/core/text/near"
)

// unit is one pane to create.
type unit struct {
	ordinal int
	role    string
	name    string
	kind    core.Kind
	known   *agent.Kind // nil for user panes
	argv    []string    // empty starts the user's shell
	variant string
	dir     string
	branch  string
	// tree is the number of its worktree in the plan, from 1; 0 for none. joined is true for one that is there already.
	tree   int
	joined bool
	// shared is a word that units of one window share; empty is one of its own.
	shared string
	// layout and shown are as in recipe.Pane.
	layout, shown string
	// word is the user's own word for the agent; empty for none.
	word string
	// options are the options of its preset, and its profile.
	options AgentOptions
	// asked is the environment that its preset asks for.
	asked     recipe.Environment
	variables variables
	// session is the id of the agent's own session, empty where it is not known
	// beforehand; choose are the arguments that have it used, which are no part of how it is
	// started the next time. The session is taken up where resume is true, else it is new.
	session string
	choose  []string
	resume  bool
}

// resumed is the session that is taken up; empty where none is.
func (u *unit) resumed() string {
	if u.resume {
		return u.session
	}
	return ""
}

// begin gives the session of a new agent an id, where its kind takes one.
func (u *unit) begin() {
	if u.known == nil || len(u.choose) > 0 {
		return
	}
	id := uuid.NewString()
	if u.choose = u.known.SessionArgs(u.argv, id); len(u.choose) > 0 {
		u.session = id
	}
}

// plan is everything that a Spawn or Add will create. Planning changes nothing.
type plan struct {
	session string
	engine  string // of a new session; empty for the usual one
	record  string // the folder of recordings; empty for none
	// noRecord keeps nothing of a new session on record.
	noRecord bool
	into     core.SessionID // empty makes the session
	dir      string
	layout   Layout
	units    []unit
	next     int
	trees    *worktree.Making // nil without worktrees
	// recorded is when the sessions to resume were recorded; zero if unknown.
	recorded time.Time
	unset    []string
}

// window is the name of a unit's window.
func (u *unit) window() string {
	if u.shared != "" {
		return u.shared
	}
	return u.label()
}

// label returns the name of a unit in messages.
func (u *unit) label() string {
	if u.role == panetag.RoleUser {
		return panetag.RoleUser
	}
	return u.name
}

// command returns the command line of a unit, as a shell would write it; empty for the user's own shell.
func (u *unit) command() string {
	if u.kind == core.KindCommand {
		return u.argv[len(u.argv)-1]
	}
	return shell.Line(u.argv...)
}

// planner plans what to create. It changes nothing.
type planner struct {
	resolver *resolve.Resolver
	kinds    *agent.Kinds
	self     string
	environ  environment
	trees    worktree.Options
	// sandboxes hold what is started.
	sandboxes *sandbox.Set
}

// addUnits appends what a request asks for. Everything is checked that can be
// before anything is made: kinds, counts, models and programs.
func (n *planner) addUnits(p *plan, request *LaunchRequest, taken map[string]bool) error {
	if err := n.addRecipe(p, request, taken); err != nil {
		return err
	}
	for _, count := range request.Agents {
		kind, argv, err := n.checkCount(count, request)
		if err != nil {
			return err
		}
		for range count.Count {
			p.units = append(p.units, unit{
				ordinal: p.next, role: panetag.RoleAgent, name: observe.FreeName(kind.Short, taken), kind: kind.ID,
				known: kind, argv: argv, variant: count.Model, dir: p.dir,
			})
			p.next++
		}
	}
	for _, line := range request.Commands {
		if strings.TrimSpace(line) == "" {
			return core.Errorf(core.InvalidInput, "a command line is empty")
		}
		kind, err := n.resolver.KindNamed(string(core.KindCommand))
		if err != nil {
			return err
		}
		p.units = append(p.units, unit{
			ordinal: p.next, role: panetag.RoleAgent, name: observe.FreeName(kind.Short, taken), kind: kind.ID,
			known: kind, argv: []string{n.environ.shell(), "-c", line}, dir: p.dir,
		})
		p.next++
	}
	if request.Prompt != "" &&
		!slices.ContainsFunc(p.units, func(u unit) bool { return u.kind.IsAgent() }) {
		return core.Errorf(core.InvalidInput, "there is a prompt but no agent that takes it")
	}
	if err := n.configureAgents(p, request); err != nil {
		return err
	}
	for i := range p.units {
		u := &p.units[i]
		var err error
		if u.variables, err = n.variablesOf(p, u, &request.Environment); err != nil {
			return err
		}
		own := environment(slices.Concat(u.variables.Inherited, u.variables.Given))
		if u.known != nil && u.kind != core.KindCommand && !own.hasProgram(u.argv[0]) {
			return noProgramError(u.known, u.argv[0])
		}
		if err := n.sandboxes.Check(u.options.Sandbox); err != nil {
			return err
		}
	}
	if request.awaits() { // a program that is too old for an id is started again without
		for i := range p.units {
			p.units[i].begin()
		}
	}
	return nil
}

// checkCount returns the kind that is wished for and how it is started.
func (n *planner) checkCount(count AgentCount, request *LaunchRequest) (*agent.Kind, []string, error) {
	kind, err := n.resolver.KindNamed(count.Kind)
	if err != nil {
		return nil, nil, err
	}
	if kind.Doubt != nil {
		return nil, nil, resolve.BrokenKindError(kind.Doubt)
	}
	if kind, err = n.kinds.Twin(kind, n.byOf(kind, request)); err != nil {
		return nil, nil, err
	}
	if count.Count < 1 || count.Count > maxAgents {
		return nil, nil, core.Errorf(core.InvalidInput, "%d agents of kind %s were asked for; it must be 1 to %d",
			count.Count, kind.ID, maxAgents)
	}
	if count.Model != "" && len(kind.Launch.Model) == 0 {
		return nil, nil, core.Errorf(core.InvalidInput, "agents of kind %s take no model", kind.ID)
	}
	argv := kind.Argv(n.self, count.Model)
	if len(argv) == 0 || argv[0] == "" {
		return nil, nil, core.Errorf(core.InvalidInput, "kind %s has no program of its own to start", kind.ID)
	}
	return kind, argv, nil
}

// screenKind returns the kind by screen of a kind by protocol, and the kind itself for others.
func screenKind(kind *agent.Kind) core.Kind { return cmp.Or(kind.Screen, kind.ID) }

// byOf returns how the panes of a kind are to be shown: as the request says, its profile, or the kind's own file. It is
// empty where none says so, and without a request.
func (n *planner) byOf(kind *agent.Kind, request *LaunchRequest) agent.By {
	if request == nil {
		return ""
	}
	profile := request.Profiles[request.Options.Profile]
	if named, known := n.kinds.Find(profile.Kind); !known || screenKind(named) != screenKind(kind) {
		profile.By = ""
	}
	if kind.Screen != "" {
		return request.Options.By // it was named itself
	}
	return cmp.Or(request.Options.By, agent.By(profile.By), kind.Launch.By)
}

func checkLayout(layout Layout) (Layout, error) {
	switch layout {
	case "":
		return Windows, nil
	case Windows, Tiled:
		return layout, nil
	}
	err := core.Errorf(core.InvalidInput, "there is no layout %q", layout)
	err.Slip.Word = string(layout)
	all := []string{string(Windows), string(Tiled)}
	if err.Suggestions = near.Words(string(layout), all); len(err.Suggestions) == 0 {
		err.Suggestions = all
	}
	return "", err
}

// launches is a plan as an answer, before or after its panes were made.
func (p *plan) launches() *Launches {
	answer := &Launches{
		Session: p.session, ID: p.into, Dir: p.dir, Panes: make([]Launched, 0, len(p.units)),
		Unset: p.unset, Trees: p.trees.Report(),
	}
	for i := range p.units {
		u := &p.units[i]
		answer.Panes = append(answer.Panes, Launched{
			PaneRef: core.PaneRef{
				Session: p.session, Ordinal: u.ordinal, Agent: u.name, Kind: u.kind, Mode: u.options.Mode,
				Profile: u.options.Profile, Sandbox: u.options.Sandbox,
			},
			Start: Start{Command: u.command(), Dir: u.dir}, Branch: u.branch, Joined: u.joined, Resumed: u.resumed(),
			Status: observe.Undecided("it was not started"), variables: u.variables,
		})
	}
	return answer
}
