package tui

import (
	"slices"
	"strings"

	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// Command is a command of the program, or a setting, as the palette names it.
type Command struct {
	Name, Does string
	// Words are other words for it, with blanks between them.
	Words string
}

// palette lists what it finds.
type palette struct {
	// commands and settings are found besides what is on the display.
	commands, settings []Command
}

// entries are all that the palette can find: what the keys of a table do, agents and sessions, what is done on other
// screens, commands, settings, and prompts, which go to a target.
func (p *palette) entries(w *screen.World, target intent.Target, keys *intent.Scope) []form.Entry {
	all := slices.Concat(keyEntries(keys), p.places(w), p.otherScreens(w, keys))
	for _, command := range p.commands {
		all = append(all, form.Entry{
			Group: "command", Name: command.Name, Does: command.Does, Words: command.Words,
			Means: intent.AskCommand{Line: command.Name + " "},
		})
	}
	for _, setting := range p.settings {
		all = append(all, form.Entry{
			Group: "setting", Name: setting.Name, Does: setting.Does,
			Means: intent.AskCommand{Line: "config set " + setting.Name + " "},
		})
	}
	for _, text := range w.Offers().Prompts {
		all = append(all, form.Entry{
			Group: "prompt", Name: screen.OneLine(text, 80), Means: intent.AskAgain{Target: target, Text: text},
		})
	}
	return all
}

// places are the agents and the sessions.
func (p *palette) places(w *screen.World) (all []form.Entry) {
	if w.Snapshot == nil {
		return nil
	}
	for i := range w.Snapshot.Sessions {
		session := &w.Snapshot.Sessions[i]
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
	return all
}

// otherScreens are acts of other screens; choosing one opens its screen.
func (p *palette) otherScreens(w *screen.World, here *intent.Scope) (all []form.Entry) {
	for _, entry := range entries[1:] {
		if entry.Key == "" || len(entry.Keys) == 0 || entry.Keys[0].Name == here.Name {
			continue
		}
		for _, act := range keyEntries(w.Keys.Of(entry.Keys[0])) {
			shared := func(b intent.Binding) bool { return b.Intent == act.Means }
			if slices.ContainsFunc(here.Bindings, shared) {
				continue
			}
			act.Group, act.Keys = string(entry.Name), intent.Name(entry.Key)+" "+act.Keys
			act.Means = intent.Open{Screen: entry.Name, Afresh: true}
			all = append(all, act)
		}
	}
	return all
}

// keyEntries returns an entry for each key of a table that acts; keys that only move have none.
func keyEntries(keys *intent.Scope) []form.Entry {
	var all []form.Entry
	for _, binding := range keys.Bindings {
		switch binding.Intent.(type) {
		case intent.Move, intent.Shift, intent.Turn, intent.Jump, intent.Back, intent.OpenPalette, intent.NextSession,
			intent.Own: // it has an entry of its own
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
			Words: binding.Label + " " + wordsFor(binding.Intent),
		})
	}
	return all
}

// wordsFor are words that users of other programs have for what an intent does; those for a screen are in its entry.
func wordsFor(wanted intent.Intent) string {
	if open, is := wanted.(intent.Open); is {
		if at := indexOf(open.Screen); at >= 0 {
			return entries[at].Words
		}
		return ""
	}
	for _, row := range otherWords {
		if intent.Among(wanted, row.of...) {
			return row.words
		}
	}
	return ""
}

// otherWords has the words of other programs for intents, whatever their fields.
var otherWords = []struct {
	words string
	of    []intent.Intent
}{
	{"attach enter go switch focus", []intent.Intent{intent.Attach{}}},
	{"prompt message tell ask say", []intent.Intent{intent.AskSend{}}},
	{
		"approve accept allow deny reject yes no permission answer confirm",
		[]intent.Intent{intent.AskAnswer{}, intent.Answer{}},
	},
	{"kill stop terminate delete close remove quit", []intent.Intent{intent.AskKill{}}},
	{"new spawn create launch run start", []intent.Intent{intent.AskSpawn{}, intent.AskAdd{}}},
	{"revive reload resume continue", []intent.Intent{intent.AskRestart{}}},
	{"branch copy duplicate same point", []intent.Intent{intent.Fork{}}},
	{"tag group name", []intent.Intent{intent.AskLabel{}}},
	{"top first favourite favorite star", []intent.Intent{intent.Pin{}}},
	{"queue later next pending", []intent.Intent{intent.AskQueue{}}},
	{"approve allow always permission auto rule", []intent.Intent{intent.AskRule{}}},
	{"later mute silence quiet sleep remind", []intent.Intent{intent.AskSnooze{}}},
	{"name title", []intent.Intent{intent.AskRename{}}},
	{"stop cancel abort escape", []intent.Intent{intent.Interrupt{}}},
	{"search find grep look", []intent.Intent{intent.AskFilter{}, intent.AskFind{}, intent.AskSearch{}}},
	{"colour color dark light scheme appearance", []intent.Intent{intent.AskTheme{}}},
	{"revert back mistake", []intent.Intent{intent.Undo{}}},
	{"clipboard yank", []intent.Intent{intent.Copy{}}},
	{"git branch integrate", []intent.Intent{intent.AskMergeTree{}}},
	{"git save", []intent.Intent{intent.AskCommit{}}},
	{"select multiple", []intent.Intent{intent.Mark{}}},
	{"shortcuts keys bindings", []intent.Intent{intent.Help{}}},
}
