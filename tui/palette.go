package tui

import (
	"slices"
	"strings"

	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// Command is a command of the program, or a setting, as the palette names it.
type Command struct{ Name, Does string }

// palette lists what it finds.
type palette struct {
	// commands and settings are found besides what is on the display.
	commands, settings []Command
}

// entries are all that the palette can find: agents and sessions, what the keys of a table do, prompts, which go to a
// target, commands, settings.
func (p *palette) entries(w *screen.World, target intent.Target, keys *intent.Scope) []form.Entry {
	var all []form.Entry
	if snap := w.Snapshot; snap != nil {
		for i := range snap.Sessions {
			session := &snap.Sessions[i]
			for _, pane := range session.Programs() {
				does := screen.StateWord(pane)
				if line := w.Does(pane, false); line != nil {
					does += ": " + line.Text()
				}
				all = append(all, form.Entry{
					Group: "agent", Name: pane.Address() + " " + pane.Agent.Name, Does: does,
					Means: intent.Choose{Target: screen.TargetOfPane(pane)},
				})
			}
			all = append(all, form.Entry{
				Group: "session", Name: session.Name, Does: session.Dir,
				Means: intent.Choose{Target: screen.TargetOfSession(session)},
			})
		}
	}
	all = append(all, keyEntries(keys)...)
	for _, text := range w.Offers().Prompts {
		all = append(all, form.Entry{
			Group: "prompt", Name: screen.OneLine(text, 80), Means: intent.AskAgain{Target: target, Text: text},
		})
	}
	for _, command := range p.commands {
		all = append(all, form.Entry{
			Group: "command", Name: command.Name, Does: command.Does,
			Means: intent.AskCommand{Line: command.Name + " "},
		})
	}
	for _, setting := range p.settings {
		all = append(all, form.Entry{
			Group: "setting", Name: setting.Name, Does: setting.Does,
			Means: intent.AskCommand{Line: "config set " + setting.Name + " "},
		})
	}
	return all
}

// keyEntries returns an entry for each key of a table that acts; keys that only move have none.
func keyEntries(keys *intent.Scope) []form.Entry {
	var all []form.Entry
	for _, binding := range keys.Bindings {
		switch binding.Intent.(type) {
		case intent.Move, intent.Shift, intent.Turn, intent.Jump, intent.Back, intent.OpenPalette, intent.NextSession:
			continue
		}
		var names []string
		for _, key := range binding.Keys {
			if name := intent.Name(key); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		all = append(all, form.Entry{
			Group: "key", Name: binding.Does, Keys: strings.Join(names, " "), Means: binding.Intent,
		})
	}
	return all
}
