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
	all := slices.Concat(keyEntries(keys), p.places(w), p.elsewhere(w, keys))
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

// elsewhere are acts of other screens; choosing one opens its screen.
func (p *palette) elsewhere(w *screen.World, here *intent.Scope) (all []form.Entry) {
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
			Words: binding.Label + " " + wordsFor(binding.Intent),
		})
	}
	return all
}

// wordsFor are words that users of other programs have for what an intent does.
func wordsFor(wanted intent.Intent) string {
	switch w := wanted.(type) {
	case intent.Attach:
		return "attach enter go switch focus"
	case intent.AskSend:
		return "prompt message tell ask say"
	case intent.AskAnswer, intent.Answer:
		return "approve accept allow deny reject yes no permission answer confirm"
	case intent.AskKill:
		return "kill stop terminate delete close remove quit"
	case intent.AskSpawn, intent.AskAdd:
		return "new spawn create launch run start"
	case intent.AskRestart:
		return "revive reload resume continue"
	case intent.AskLabel:
		return "tag group name"
	case intent.AskRename:
		return "name title"
	case intent.Interrupt:
		return "stop cancel abort escape"
	case intent.AskFilter, intent.AskFind, intent.AskSearch:
		return "search find grep look"
	case intent.AskTheme:
		return "colour color dark light scheme appearance"
	case intent.Undo:
		return "revert back mistake"
	case intent.Copy:
		return "clipboard yank"
	case intent.AskMergeTree:
		return "git branch integrate"
	case intent.AskCommit:
		return "git save"
	case intent.Mark:
		return "select multiple"
	case intent.Help:
		return "shortcuts keys bindings"
	case intent.Open:
		return wordsForScreen[w.Screen]
	}
	return ""
}

// wordsForScreen are words that users have for a screen.
var wordsForScreen = map[intent.Screen]string{
	"changes": "git diff review merge commit stage", "spending": "cost tokens money spend budget",
	"usage": "cost tokens money spend budget", "history": "log sent prompts", "alerts": "warnings notifications",
	"inbox": "approvals waiting questions", "grid": "tiles wall", "output": "scrollback log transcript",
	"acts": "undo revert back", "search": "find grep", "worktrees": "branches git", "hosts": "machines remote ssh",
	"settings": "config preferences options",
}
