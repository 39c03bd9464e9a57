// Package dashboard opens the dashboard, and fills in what it reaches beside its fleet: the history, the agents' work,
// relays, crews, stories, other hosts, and commands of the program itself.
package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cupola/cmd/look"
	"cupola/cmd/network"
	"cupola/core"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/system/textfile"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/sessions"
	"cupola/core/verb/suggest"
	"cupola/theme"
	"cupola/tui"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/history"
)

// Dashboard holds the parts and settings that a dashboard is opened with.
type Dashboard struct {
	// Env is the environment of verbs.
	Env           *verb.Env
	Network       *network.Network
	Look          *look.Look
	Getenv        func(string) string
	Stdin, Stdout *os.File
	// Colour is when there are colours, as --color says it.
	Colour string
	// OneCall returns an environment for one call of a verb; done closes it.
	OneCall func() (env *verb.Env, done func())
}

// Run shows a fleet until its user quits.
func (d *Dashboard) Run(ctx context.Context, f *fleet.Fleet) error {
	dir, err := os.Getwd()
	if err != nil {
		dir = d.Getenv("HOME")
	}
	server, _, err := f.Dir.Kept(ctx)
	if err != nil {
		return err
	}
	commands, keys, faults := d.ownCommands()
	look := d.Look.Options(theme.Colour(d.Colour, true, d.Getenv), true)
	warnings := d.Env.Warnings()
	if len(warnings) > 1 {
		warnings = []string{warnings[0], fmt.Sprintf("and %d more: cupola doctor --problems", len(warnings)-1)}
	}
	var own core.PaneID
	if d.Env.OwnPane != nil {
		own = d.Env.OwnPane(ctx)
	}
	err = tui.Run(ctx, tui.Options{
		Fleet: f, OwnPane: own, Theme: theme.New(look), Themes: d.themes(look),
		Stdin: d.Stdin, Stdout: d.Stdout, Dir: dir, Pressed: pressed(config.Typed(d.Env.Paths)),
		Commands: d.commands(), Settings: settingKeys(), Keys: keys, Own: commands,
		Order: d.listOrder(), FirstTime: d.firstTime(),
		Notice: sentences(slices.Concat([]string{d.Look.Fault}, faults, warnings)...),
		Log:    d.Env.Log, Advise: advice.Complete,
		Services: d.services(ctx, f, server, dir),
		Concern: func(ctx context.Context) string {
			env, done := d.OneCall()
			defer done()
			return sentences(sessions.ReviveByItself(ctx, env, f), olderServer(ctx, f))
		},
	})
	if err == nil && ctx.Err() != nil {
		return &core.Error{Code: core.Cancelled, Message: "interrupted", Err: ctx.Err()}
	}
	return err
}

// pressedEvery is how exactly it is on record when a key was pressed last.
const pressedEvery = 5 * time.Second

// pressed returns a function that records the time of a key in a file: services are notified while the user is
// away. It is called by one goroutine at a time.
func pressed(path string) func() {
	var last time.Time
	return func() {
		now := time.Now()
		if now.Sub(last) < pressedEvery {
			return
		}
		last = now
		if os.Chtimes(path, now, now) != nil {
			_ = textfile.Put(path, nil) // without it the user counts as away
		}
	}
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

// themes returns the themes to choose from.
func (d *Dashboard) themes(look theme.Options) tui.Themes {
	return tui.Themes{
		Names: d.Look.Schemes().Names(),
		Find: func(name string) (*theme.Theme, error) {
			scheme, err := d.Look.Schemes().Find(name)
			if err != nil {
				return nil, err
			}
			own := look
			own.Scheme = scheme
			return theme.New(own), nil
		},
	}
}

// services returns the parts that the dashboard uses besides a fleet, whose server has a socket; stories are looked
// for in dir.
func (d *Dashboard) services(ctx context.Context, f *fleet.Fleet, server, dir string) effect.Services {
	services := effect.Services{
		Door: d,
		Clip: func(text string) error { return clip(ctx, d.Getenv("TMUX") != "", d.Stdout, text) },
		History: func(ctx context.Context, about intent.Target) (history.Sent, error) {
			return d.history(ctx, server, about)
		},
		Work:    (&agentWork{env: d.Env, fleet: f, server: server, pulls: newPulls(d.Env)}).read,
		Readers: d.readers(f, server), Runs: d.listRuns,
		Relays: effect.Relays{
			Directory: relays.Directory(&d.Env.Local),
			Askable:   func() ([]string, string, error) { return relays.Askable(&d.Env.Local) },
			Hint:      func(code core.Code) string { return advice.Of(code).Hint },
		},
		Crews: d.crews(), Stories: d.stories(dir), Editor: d.editor,
		Checkpoints: d.Env.Paths.Checkpoints(),
		Command:     d.runCommand(server),
		OwnEnviron:  append(slices.Clone(d.Env.Environ), "CUPOLA_ENGINE_SOCKET="+server),
		Demo:        []string{d.Env.Self, "demo"},
		PlayBack: func(address string, session time.Time) ([]string, error) {
			return agents.PlayBack(d.Env, address, session)
		},
	}
	if others := d.Network.Others(); others != nil {
		services.Hosts = others
	}
	return services
}

// commands are the real verbs, for the palette.
func (d *Dashboard) commands() []tui.Command {
	return core.Map(d.Env.Catalog.RealVerbs(), func(verb *registry.Verb) tui.Command {
		return tui.Command{
			Name: verb.Name, Does: verb.Short, Words: strings.Join(suggest.WordsFor(verb.Name), " "),
		}
	})
}

// settingKeys are the keys of the configuration, for the palette.
func settingKeys() []tui.Command {
	return core.Map(config.Keys(), func(key config.Key) tui.Command {
		return tui.Command{Name: key.Name, Does: key.Doc}
	})
}

// editor returns the user's editor as an argument list.
func (d *Dashboard) editor() []string {
	return strings.Fields(cmp.Or(d.Getenv("VISUAL"), d.Getenv("EDITOR"), "vi"))
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
