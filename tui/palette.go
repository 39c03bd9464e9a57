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

// palettePart lists what the palette finds.
type palettePart struct {
	model *model
	// commands and settings are found besides what is on the display.
	commands, settings []Command
}

// entries are all that the palette can find: agents and sessions, what the keys here do, prompts, commands, settings.
func (p *palettePart) entries() []form.Entry {
	var all []form.Entry
	if snap := p.model.world.Snapshot; snap != nil {
		for i := range snap.Sessions {
			session := &snap.Sessions[i]
			for _, pane := range session.Programs() {
				does := screen.StateWord(pane)
				if line := p.model.world.Does(pane); line != nil {
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
	all = append(all, p.keyEntries()...)
	target := p.model.choice.Target(p.model.world.Snapshot)
	for _, text := range p.model.world.Offers().Prompts {
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

// keyEntries are what the keys of the screen on top do, without those that only move.
func (p *palettePart) keyEntries() []form.Entry {
	var all []form.Entry
	for _, binding := range p.model.world.Keys.Of(p.model.top().Scope()).Bindings {
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
