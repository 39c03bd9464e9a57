package history

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/search"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/record/store"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
)

// SearchIn is the input of the verb search.
type SearchIn struct {
	Text    []string       `arg:"rest" required:"true" help:"The text; case and the width of blanks do not count"`
	Since   registry.Since `since:"time" help:"Only what was said since this time"`
	Kind    []string       `alias:"type" help:"Only agents of these kinds (claude or cc, codex or cod, ...)"`
	Project string         `help:"Only what was said in this folder, by its path or its name"`
	Limit   int            `flag:"limit,n" min:"0" default:"50" help:"End after so many; 0 finds all"`
}

// SearchOut is the last line of a search.
type SearchOut struct{ search.Totals }

// searchLine is a text that was found.
type searchLine struct {
	Type string `json:"type"`
	search.Hit

	now time.Time
}

var searching = registry.Define(registry.Spec[*verb.Env, SearchIn, SearchOut]{
	Name: "search", Group: verb.GroupSee, Short: "Search what all agents said",
	Aliases: []string{"grep", "find"},
	Long: "It searches the conversations that agents of all kinds have recorded on this machine, prompts and relays " +
		"on record, recordings of panes, and the screens of agents that record nothing. Each line is a text with " +
		"its context, the newest first. --project takes a path or the name of a folder. Credentials are masked; " +
		"'cupola config set search.shows nothing' turns the search off. 'cupola restart-pane PANE --resume=ID' " +
		"continues a conversation by its session_id.",
	Scope: registry.Global, Effect: registry.Reads,
	Examples: []string{"parser", "parser --since=7d --kind=cc --limit=5"},
	Errors: []core.Code{
		core.AgentNotFound, core.PermissionDenied, core.IOError, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Stream: registry.Stream[*verb.Env, SearchIn, SearchOut]{
		Line: searchLine{},
		Run: func(ctx context.Context, env *verb.Env, in SearchIn, emit func(any) error) (SearchOut, error) {
			return Search(ctx, env, in, func(hit search.Hit) error { return emit(searchLine{"hit", hit, env.Now()}) })
		},
	},
}).SeeAlso("history", "reply")

// Check sees that there is a text.
func (in SearchIn) Check() error {
	if _, err := search.Compile(strings.Join(in.Text, " ")); err != nil {
		return core.Errorf(core.InvalidInput, "search: %w", err)
	}
	return nil
}

// Search finds a text in what all agents said and showed, and emits each hit as soon as it is found, the newest first.
func Search(ctx context.Context, env *verb.Env, in SearchIn, emit func(search.Hit) error) (SearchOut, error) {
	settings := env.Settings()
	shows := settings.Search.Shows
	if settings.Need("search.shows") != nil || shows == "nothing" {
		return SearchOut{}, &core.Error{
			Code: core.PermissionDenied, Message: "the setting search.shows turns searches off",
			Actions: []string{"cupola config set search.shows masked"},
		}
	}
	pattern, err := search.Compile(strings.Join(in.Text, " "))
	if err != nil {
		return SearchOut{}, core.Errorf(core.InvalidInput, "search: %w", err)
	}
	query := search.Query{
		Pattern: pattern, Since: in.Since.AsTime(env.Now()), Project: in.Project, Limit: in.Limit,
		Plain: shows == "plain",
	}
	if strings.HasPrefix(in.Project, ".") || strings.Contains(in.Project, "/") && !filepath.IsAbs(in.Project) {
		query.Project = filepath.Join(env.Dir, in.Project)
	}
	if len(in.Kind) > 0 {
		if query.Kinds, err = resolve.New(env.Kinds(), false).KindIDs(in.Kind); err != nil {
			return SearchOut{}, err
		}
	}
	sources, unreadable, err := searched(ctx, env, query.Kinds)
	if err != nil {
		return SearchOut{}, err
	}
	agents := sync.OnceValue(func() map[conversation.Session]core.PaneRef { return agentsIn(ctx, env) })
	totals, err := search.Run(ctx, sources, query, func(hit search.Hit) error {
		if hit.Pane == "" && hit.Conversation != "" {
			if ref, live := agents()[conversation.Session{Kind: hit.Kind, ID: hit.Conversation}]; live {
				hit.Pane = ref.Address()
			}
		}
		return emit(hit)
	})
	totals.Unreadable += unreadable
	return SearchOut{totals}, err
}

// searched are the sources of a search.
func searched(ctx context.Context, env *verb.Env, kinds []core.Kind) ([]*search.Source, int, error) {
	sources, unreadable := search.Conversations(ctx, env.Getenv, kinds)
	if kinds == nil {
		recordings, err := search.Recordings(env.Paths.Recordings())
		if err != nil {
			return nil, 0, core.Errorf(core.IOError, "search: %w", err)
		}
		sources = append(sources, recordings...)
	}
	hidden, err := verb.HiddenEver(ctx, env, "")
	if err != nil {
		return nil, 0, err
	}
	records, err := env.Store(ctx)
	if err != nil {
		return nil, 0, err
	}
	sources = append(sources, search.Texts(env.Now(), promptsOn(records, hidden)),
		search.Texts(env.Now(), relaysOn(env)), search.Texts(env.Now(), screensOf(env)))
	return sources, unreadable, nil
}

// agentsIn returns which agents are in which conversations; none where no terminal server runs.
func agentsIn(ctx context.Context, env *verb.Env) map[conversation.Session]core.PaneRef {
	f, err := env.Fleet()
	if err != nil {
		return nil
	}
	agents, err := f.Conversations.Sessions(ctx)
	if err != nil {
		env.Log.Warn("which agents are in which conversations is not known", "error", err)
	}
	return agents
}

// promptsOn returns the prompts on record, without those to hidden sessions, page after page.
func promptsOn(records *store.Store, hidden []string) func(context.Context) ([]search.Hit, error) {
	const page = 500
	offset := 0
	return func(ctx context.Context) ([]search.Hit, error) {
		found, err := store.PromptsIn(records).Find(ctx, store.PromptQuery{Except: hidden, Limit: page, Offset: offset})
		offset += page
		return core.Map(found.Prompts, func(p core.Prompt) search.Hit {
			hit := search.Hit{At: p.At, Who: transcript.ByUser, Text: p.Text}
			if len(p.Deliveries) > 0 {
				hit.Pane, hit.Kind = strings.Join(p.Addresses(), ","), p.Deliveries[0].Kind
			}
			return hit
		}), err
	}
}

// once returns texts in one piece.
func once(texts func(context.Context) ([]search.Hit, error)) func(context.Context) ([]search.Hit, error) {
	done := false
	return func(ctx context.Context) ([]search.Hit, error) {
		if done {
			return nil, nil
		}
		done = true
		return texts(ctx)
	}
}

// relaysOn returns what was asked and answered in relays.
func relaysOn(env *verb.Env) func(context.Context) ([]search.Hit, error) {
	return once(func(context.Context) ([]search.Hit, error) {
		all, err := relays.Directory(&env.Local).All()
		hits := make([]search.Hit, 0, 2*len(all))
		for i := range all {
			r := &all[i]
			of := search.Hit{Kind: core.Kind(r.Backend), Conversation: r.Session, Dir: r.Dir}
			answer, prompt := of, of
			answer.At, answer.Who, answer.Text = r.Ended, transcript.ByAgent, r.Text
			prompt.At, prompt.Who, prompt.Text = r.Started, transcript.ByUser, r.Prompt
			hits = append(hits, answer, prompt)
		}
		return hits, err
	})
}

// mostScreen is how many lines of an agent's screen and history are searched.
const mostScreen = 2000

// screensOf returns what agents show that record nothing: their screens, and the lines above.
func screensOf(env *verb.Env) func(context.Context) ([]search.Hit, error) {
	return once(func(ctx context.Context) ([]search.Hit, error) {
		f, err := env.Fleet()
		if core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		snapshot, err := f.Overview.Snapshot(ctx, observe.View{Dirs: true})
		if err != nil {
			return nil, err
		}
		dirs := map[core.PaneID]string{}
		var panes []string
		for _, pane := range snapshot.Panes() {
			if pane.IsAgent() && !transcript.Keeps(pane.Agent.Kind) {
				dirs[pane.ID] = pane.Process.Dir
				panes = append(panes, string(pane.ID))
			}
		}
		if len(panes) == 0 {
			return nil, nil
		}
		tails, err := f.Output.Tail(ctx, output.Request{Target: resolve.Target{Panes: panes}, Lines: mostScreen})
		return core.Map(tails, func(t output.Tail) search.Hit {
			return search.Hit{
				At: env.Now(), Who: search.ByScreen, Pane: t.Address(), Kind: t.Kind, Dir: dirs[t.Pane],
				Text: strings.Join(t.Lines, "\n"),
			}
		}), err
	})
}

// Report shows people a text in two lines: whose it is, and what is around it.
func (l searchLine) Report() *report.Report {
	whose := strings.Fields(strings.Join([]string{l.Pane, string(l.Kind), l.Conversation, l.Dir}, " "))
	of := report.Toned(report.Dim, report.Age(l.At, l.now)+" ago  "+strings.Join(whose, "  "))
	said := report.Line{report.Toned(report.Strong, string(l.Who)+": "), report.Text(l.Text)}
	return (&report.Report{}).Add(report.Block{Lines: []report.Line{{of}, said}})
}

// Hints says that there may be more.
func (o SearchOut) Hints() *registry.Hints {
	hints := &registry.Hints{}
	if !o.Complete {
		hints.Warnings = append(hints.Warnings, "the limit ended the search; --limit=0 finds all")
	}
	if o.Unreadable > 0 {
		hints.Warnings = append(hints.Warnings, verb.Plural(o.Unreadable, "source")+" could not be read")
	}
	return hints
}

// Report shows people what was searched.
func (o SearchOut) Report() *report.Report {
	text := verb.Plural(o.Hits, "hit") + " in " + verb.Plural(o.Sources, "source")
	if !o.Complete {
		text += "; --limit=0 finds all"
	}
	if o.Unreadable > 0 {
		text += "; " + verb.Plural(o.Unreadable, "source") + " could not be read"
	}
	return report.Say(report.Toned(report.Dim, text))
}
