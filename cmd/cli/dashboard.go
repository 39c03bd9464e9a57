package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/relay"
	"cupola/core/usage"
	"cupola/robot/advice"
	"cupola/robot/command/agents"
	"cupola/robot/command/relays"
	"cupola/theme"
	"cupola/tui"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// bare is the program without a verb: the dashboard on a terminal, the status
// everywhere else.
func (p *program) bare(ctx context.Context) error {
	if p.robotic || !terminal(p.Stdin) || !terminal(p.Stdout) {
		verb := p.catalog.Find("status")
		return p.run(ctx, verb, verb.Zero(), nil)
	}
	if len(p.globals.Host) > 0 {
		return p.dashboardOn(ctx)
	}
	f, err := p.deps.Fleet()
	if err != nil {
		return err
	}
	return p.dashboard(ctx, f)
}

// dashboard shows a fleet until its user quits.
func (p *program) dashboard(ctx context.Context, f *fleet.Fleet) error {
	dir, err := os.Getwd()
	if err != nil {
		dir = p.Getenv("HOME")
	}
	server, _, err := f.Dir.Kept(ctx)
	if err != nil {
		return err
	}
	p.reporter.silence()
	keys, keysFault := p.keymap()
	look := p.themed(theme.Colour(p.globals.Color, true, p.Getenv), true)
	err = tui.Run(ctx, tui.Options{
		Fleet: f, Theme: theme.New(look), Themes: p.themes(look), Stdin: p.Stdin, Stdout: p.Stdout, Dir: dir,
		Commands: p.commands(), Settings: settings(), Keys: keys, Order: p.listOrder(), FirstTime: p.firstTime(),
		Notice: sentences(p.themeFault, keysFault), Log: p.deps.Log, Advise: advice.Complete,
		Services: p.services(ctx, f, server, dir),
		Concern:  func(ctx context.Context) string { return olderServer(ctx, f) },
	})
	if err == nil && ctx.Err() != nil {
		return &core.Error{Code: core.Cancelled, Message: "interrupted", Err: ctx.Err()}
	}
	return err
}

// olderServer says what to do about a server of Cupola's own that is another build of this program; empty if none is.
func olderServer(ctx context.Context, f *fleet.Fleet) string {
	info, err := f.Overview.EngineInfo(ctx)
	if err != nil {
		return ""
	}
	for one := &info; one != nil; one = one.Beside {
		if one.Program != engine.Tmux && one.Note != "" {
			return "The terminal server is another build of Cupola. :engine-upgrade replaces it in place; nothing ends."
		}
	}
	return ""
}

// sentences are the texts that are not empty, as one.
func sentences(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// themes are what the theme can be changed to.
func (p *program) themes(look theme.Options) tui.Themes {
	return tui.Themes{
		Names: p.schemeNames(),
		Find: func(name string) (*theme.Theme, error) {
			scheme, err := p.findScheme(name)
			if err != nil {
				return nil, err
			}
			own := look
			own.Scheme = scheme
			return theme.New(own), nil
		},
	}
}

// services are what the dashboard reaches beside a fleet, whose server has a socket; stories are looked for in dir.
func (p *program) services(ctx context.Context, f *fleet.Fleet, server, dir string) effect.Services {
	return effect.Services{
		Clip: func(text string) error { return clip(ctx, p.Getenv("TMUX") != "", p.Stdout, text) },
		History: func(ctx context.Context, about intent.Target) ([]core.Prompt, int, error) {
			return p.history(ctx, server, about)
		},
		Hosts: p.otherHosts(),
		Work:  (&agentWork{program: p, fleet: f, server: server}).read,
		Records: effect.Records{
			Activity: func(ctx context.Context, since time.Time) (screen.Activity, error) {
				return p.activity(ctx, server, since)
			},
			Settings: p.listSettings,
			Hosts:    p.listHosts,
			Usage: func(ctx context.Context, days int, by usage.Group) (screen.Usage, error) {
				return p.usage(ctx, f, days, by)
			},
		},
		Relays: effect.Relays{
			Book:    relays.Book(p.deps),
			Askable: func() ([]string, string, error) { return relays.Askable(p.deps) },
			Ask: func(ctx context.Context, request relay.Request) (*relay.Record, error) {
				return relays.AskInBackground(ctx, p.deps, request)
			},
			Hint: func(code core.Code) string { return advice.Of(code).Hint },
		},
		Crews: p.crews(), Stories: p.stories(dir), Editor: p.editor, Presets: p.deps.Paths.Presets(),
		Checkpoints: p.deps.Paths.Checkpoints(),
		Command:     p.runCommand(server),
		PlayBack: func(address string, session time.Time) ([]string, error) {
			return agents.PlayBack(p.deps, address, session)
		},
	}
}

// commands are the verbs, for the palette.
func (p *program) commands() []tui.Command {
	var all []tui.Command
	for _, verb := range p.catalog.Verbs {
		all = append(all, tui.Command{Name: verb.Name, Does: verb.Short})
	}
	return all
}

// settings are the keys of the configuration, for the palette.
func settings() []tui.Command {
	var all []tui.Command
	for _, key := range config.Keys() {
		all = append(all, tui.Command{Name: key.Name, Does: key.Doc})
	}
	return all
}

// editor returns the user's editor as an argument list.
func (p *program) editor() []string {
	return strings.Fields(cmp.Or(p.Getenv("VISUAL"), p.Getenv("EDITOR"), "vi"))
}

// clip puts a text on the clipboard: through tmux if the program runs in it, which also
// reaches the terminal outside, else by a sequence to the terminal.
func clip(ctx context.Context, inTmux bool, display io.Writer, text string) error {
	if inTmux {
		load := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
		load.Stdin = strings.NewReader(text)
		if load.Run() == nil {
			return nil
		}
	}
	_, err := io.WriteString(display, ansi.SetSystemClipboard(text))
	return err
}
