package crews

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/crew/orchestrator"
	"cupola/core/report"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

type crewRunIn struct {
	Agents      []string      `alias:"agent" help:"The agents, as role:backend or role:backend:model, separated by commas"`
	Prompt      string        `help:"The task; - reads it from standard input"`
	Repo        string        `help:"The directory that it is about; the current one without it"`
	Sandbox     string        `help:"What the agents may do: read-only, workspace-write or danger-full-access; 'backends' says what each guarantees"`
	MaxTurns    int           `help:"How many turns follow the first"`
	Timeout     time.Duration `help:"How long the crew may take"`
	TurnTimeout time.Duration `help:"How long one answer may take"`
	MaxCost     string        `help:"How much the crew may cost, in USD (2.50)"`
	Background  bool          `help:"Run in the background, and answer immediately with the id"`
	Stream      bool          `help:"Answer with each event as it comes"`
	registry.Preview
}

// CrewOut is a crew with what it told the user.
type CrewOut struct {
	*crew.Crew
	// Outcome is what was written to the user, in its order.
	Outcome []Told `json:"outcome" empty:"nobody wrote to the user"`
	// CostUSD is what all agents cost; CostKnown is false if some cost is not known.
	CostUSD   float64 `json:"cost_usd"`
	CostKnown bool    `json:"cost_known"`
	// Waiting counts the messages that were not delivered.
	Waiting    int  `json:"waiting_count"`
	Background bool `json:"background,omitempty"`
	DryRun     bool `json:"dry_run"`
	// Planned says what each agent would be, with --dry-run.
	Planned []plannedAgent `json:"planned,omitempty"`

	shown bool
}

// Told is one message to the user.
type Told struct {
	From string    `json:"from" table:"AGENT,strong"`
	Turn int       `json:"turn" table:"TURN"`
	At   time.Time `json:"at"`
	Text string    `json:"text" table:"TEXT,flex"`
	// Notes are what the agent said in the same answer to nobody.
	Notes string `json:"notes,omitempty"`
}

// plannedAgent is an agent as it would be asked.
type plannedAgent struct {
	Name      string `json:"name" table:"AGENT,strong"`
	Backend   string `json:"backend" table:"BACKEND"`
	Model     string `json:"model,omitempty" table:"MODEL,dim"`
	Dir       string `json:"dir"`
	Guarantee string `json:"guarantee" table:"GUARANTEE,flex"`
	Prompt    string `json:"prompt"`
}

var crewRun = registry.Define(registry.Spec[*verb.Env, crewRunIn, CrewOut]{
	Name: "crew-run", Group: verb.GroupCrew, Short: "Let several agents work on one task and talk to each other",
	Aliases: []string{"agentic run"},
	Long: "Every agent gets the task; then each is asked again when another wrote to it, until nobody is written to or " +
		"a guardrail ends the crew. Lines that begin with @NAME: are messages, @all: goes to all, @user: to you. " +
		"Every message is on record before it is delivered: 'crew resume' goes on where a crew was cut off.",
	Scope: registry.Global, Effect: registry.Writes, List: "outcome",
	Examples: []string{"--agents=reviewer:claude,critic:codex --prompt='Review auth' --dry-run"},
	Errors: append([]core.Code{
		core.ConfigInvalid, core.CredentialMissing, core.AuthFailed, core.RateLimited, core.BudgetExceeded,
		core.NetworkError, core.DecodeFailed, core.ToolNotFound, core.BackendFailed, core.ProjectNotFound, core.Conflict,
		core.Timeout,
	}, codes...),
	Run:    runCrewRun,
	Stream: registry.Stream[*verb.Env, crewRunIn, CrewOut]{Line: crewLine{}, Run: streamCrewRun},
})

// Streaming reports whether the answer is to come piece by piece.
func (in crewRunIn) Streaming() bool { return in.Stream && !in.DryRun && !in.Background }

// Live reports whether a person sees the crew while it works.
func (in crewRunIn) Live() bool { return !in.DryRun && !in.Background }

func runCrewRun(ctx context.Context, env *verb.Env, in crewRunIn) (CrewOut, error) {
	return in.run(ctx, env, nil)
}

func streamCrewRun(ctx context.Context, env *verb.Env, in crewRunIn, emit func(any) error) (CrewOut, error) {
	return in.run(ctx, env, emit)
}

func (in crewRunIn) run(ctx context.Context, env *verb.Env, emit func(any) error) (CrewOut, error) {
	c, err := in.crew(env)
	if err != nil {
		return CrewOut{}, err
	}
	out := CrewOut{Crew: c, Outcome: []Told{}, DryRun: in.DryRun}
	if out.Planned, err = plan(ctx, env, c); err != nil || in.DryRun {
		return out, err
	}
	out.Planned = nil
	o, err := OrchestratorOf(ctx, env)
	if err != nil {
		return CrewOut{}, err
	}
	if err := o.New(ctx, c); err != nil {
		return CrewOut{}, err
	}
	if in.Background {
		return detach(ctx, env, o, c)
	}
	return carry(ctx, env, o, c.ID, orchestrator.More{}, emit)
}

// crew is what the flags and the settings ask for.
func (in crewRunIn) crew(env *verb.Env) (*crew.Crew, error) {
	settings, err := env.Settings()
	if err != nil {
		return nil, err
	}
	c := &crew.Crew{
		Prompt: strings.TrimSpace(in.Prompt), Dir: env.Dir, Stage: crew.Headless, Limits: settings.Crew, Turn: -1,
		Sandbox: cmp.Or(in.Sandbox, settings.Relay.Sandbox),
	}
	if in.Repo != "" {
		c.Dir = in.Repo
		if !filepath.IsAbs(c.Dir) {
			c.Dir = filepath.Join(env.Dir, c.Dir)
		}
	}
	if c.Prompt == "-" {
		read, err := env.Stdin()
		if err != nil {
			return nil, err
		}
		c.Prompt = strings.TrimSpace(read)
	}
	if c.Prompt == "" {
		return nil, core.Errorf(core.MissingRequired, "a crew needs a task: --prompt")
	}
	limits := &c.Limits
	limits.MaxTurns, limits.Timeout = cmp.Or(in.MaxTurns, limits.MaxTurns), cmp.Or(in.Timeout, limits.Timeout)
	limits.TurnTimeout = cmp.Or(in.TurnTimeout, limits.TurnTimeout)
	if in.MaxCost != "" {
		if limits.CostUSD, err = readCost(in.MaxCost); err != nil {
			return nil, err
		}
	}
	wanted := make([]crew.Wanted, len(in.Agents))
	for i, word := range in.Agents {
		if wanted[i], err = crew.ReadWanted(word); err != nil {
			return nil, err
		}
	}
	if c.Members, err = crew.Muster(wanted, nil); err != nil {
		return nil, err
	}
	for i := range c.Members {
		c.Members[i].Dir = c.Dir
	}
	return c, nil
}

// readCost reads an amount of USD.
func readCost(text string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(usd > 0) || math.IsInf(usd, 0) {
		return 0, core.Errorf(core.InvalidInput, "%q is no amount of USD, such as 2.50", text)
	}
	return usd, nil
}

// plan says how each agent would be asked. It fails if one cannot be.
func plan(ctx context.Context, env *verb.Env, c *crew.Crew) ([]plannedAgent, error) {
	stage, err := headlessStage(env, Book(env), c)
	if err != nil {
		return nil, err
	}
	planned := make([]plannedAgent, len(c.Members))
	for i := range c.Members {
		m := &c.Members[i]
		prompt := crew.FirstPrompt(c, m)
		p, err := stage.Plan(ctx, c, orchestrator.Turn{Member: m, Ask: crew.Ask{Prompt: prompt}})
		if err != nil {
			return nil, err
		}
		m.Backend = p.Backend
		planned[i] = plannedAgent{m.Name, p.Backend, p.Model, m.Dir, p.Guarantee, prompt}
	}
	return planned, nil
}

// detach runs a crew in the background.
func detach(ctx context.Context, env *verb.Env, o *orchestrator.Orchestrator, c *crew.Crew) (CrewOut, error) {
	err := o.Book.Detach(ctx, c.ID, c.Dir, env.Self, "--robot-format=json", "crew", "resume", c.ID)
	return CrewOut{Crew: c, Outcome: []Told{}, Background: err == nil}, err
}

// carry runs a crew in this process, and shows its events.
func carry(
	ctx context.Context, env *verb.Env, o *orchestrator.Orchestrator, id string, more orchestrator.More,
	emit func(any) error,
) (CrewOut, error) {
	var broken error
	c, err := o.Run(ctx, id, more, func(event crew.Event) {
		if emit != nil && broken == nil {
			broken = emit(crewLine{event})
		}
	})
	if c == nil {
		return CrewOut{}, err
	}
	out, told := outOf(context.WithoutCancel(ctx), env, c)
	out.shown = emit != nil
	for _, err := range []error{err, broken, told} {
		if err != nil {
			return out, err
		}
	}
	return out, failure(out)
}

// outOf is the answer about a crew.
func outOf(ctx context.Context, env *verb.Env, c *crew.Crew) (CrewOut, error) {
	out := CrewOut{Crew: c, Outcome: []Told{}}
	out.CostUSD, out.CostKnown = c.CostUSD()
	out.CostUSD = verb.Rounded(out.CostUSD, 4)
	crews, err := read(ctx, env)
	if err != nil {
		return out, err
	}
	events, err := crews.Events(ctx, c.ID, 0)
	if err != nil {
		return out, err
	}
	out.Outcome = outcome(events)
	waiting, err := crews.Deliveries(ctx, c.ID, true)
	out.Waiting = len(waiting)
	return out, err
}

// outcome is what was written to the user, each with the notes of the same answer.
func outcome(events []crew.Event) []Told {
	told := []Told{}
	for i := range events {
		e := &events[i]
		if e.Type == crew.Message && e.To == crew.User {
			told = append(told, Told{From: e.From, Turn: e.Turn, At: e.At, Text: e.Text})
		}
		if e.Type != crew.Note {
			continue
		}
		for j := range told {
			if told[j].From == e.From && told[j].Turn == e.Turn {
				told[j].Notes = e.Text
			}
		}
	}
	return told
}

// failure is the error of a crew that failed.
func failure(out CrewOut) error {
	if out.State != crew.Failed {
		return nil
	}
	e := core.Errorf(cmp.Or(out.ErrorCode, core.BackendFailed), "the crew %s failed: %s", out.ID,
		cmp.Or(out.Error, string(out.Reason)))
	e.Details, e.Remedies, e.Subject.Run = out, []core.Remedy{core.RemedyShowCrew, core.RemedyResumeCrew}, out.ID
	return e
}

// crewLine is one event of a crew.
type crewLine struct{ crew.Event }

// Report shows one event to a person.
func (l crewLine) Report() *report.Report {
	return report.Say(report.Text(string(l.Type) + " " + l.From + " " + l.To + " " + l.Text))
}

// Report shows a crew to a person.
func (o CrewOut) Report() *report.Report {
	r := &report.Report{}
	for _, told := range o.Outcome {
		r.Add(report.Block{Heading: told.From, Quote: told.Text + "\n"})
	}
	return r
}
