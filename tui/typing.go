package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/peek"
	"cupola/tui/widget"
)

// typingPart passes every key on to a pane.
type typingPart struct {
	root interface {
		setStatus(token theme.Token, text string)
		dispatch(wanted intent.Intent) tea.Cmd
		peek()
	}
	act actor
	// pane is that pane; empty for none.
	pane intent.Target
}

// start lets every key go to the selected pane, until the one that ends it; nil is none.
func (p *typingPart) start(pane *core.Pane) {
	switch {
	case pane == nil:
		p.root.setStatus(theme.Warn, nothing)
		return
	case pane.Process.Dead:
		p.root.setStatus(theme.Warn, pane.Address()+" has ended; R restarts it")
		return
	}
	p.pane = screen.TargetOfPane(pane)
	p.root.peek()
}

// peek shows the selected pane alone.
func (m *model) peek() {
	if _, open := m.top().(*peek.Screen); !open {
		m.open(intent.Open{Screen: peek.Entry.Name})
	}
}

// typed passes a key on to the pane that is typed into; the one that ends that closes its screen.
func (p *typingPart) typed(w *screen.World, msg tea.KeyMsg) tea.Cmd {
	if wanted, ends := w.Keys.Of(&intent.Typing).Lookup(msg); ends {
		p.pane = intent.Target{}
		return p.root.dispatch(wanted)
	}
	keys := paneKeys(msg)
	if len(keys) == 0 || !p.takesKeys(w.Snapshot) { // what is typed for a pane that is gone must not act here
		return nil
	}
	return p.act.Do(intent.Press{Target: p.pane, Keys: strings.Join(keys, " ")})
}

// takesText reports whether keys go to a form or to a pane, so that no form may open by itself.
func (m *model) takesText() bool { return m.form != nil || m.typing.pane.Pane != "" }

// takesKeys reports whether the pane that is typed into is there.
func (p *typingPart) takesKeys(snapshot *core.Snapshot) bool {
	pane := snapshot.Pane(p.pane.Pane)
	return pane != nil && !pane.Process.Dead
}

// bar says where keys go, above the screen of a pane that is typed into; none otherwise.
func (p *typingPart) bar(w *screen.World, r layout.Rect) []string {
	if p.pane.Pane == "" {
		return nil
	}
	text := "every key goes to " + p.pane.Address
	if !p.takesKeys(w.Snapshot) {
		text = p.pane.Address + " takes no keys any more"
	}
	row, _ := r.Top(1)
	lines := widget.List(w.Theme, row, widget.Rows{Left: []widget.Line{
		widget.Styled(theme.Danger, text+"; "+intent.Name(intent.LeaveTyping)+" ends that"),
	}})
	return widget.WithoutCursor(lines)
}

// keyNames are the names that terminals' servers have for keys, by those of Bubble Tea.
var keyNames = map[string]string{
	"enter": "Enter", "tab": "Tab", "shift+tab": "BTab", "esc": "Escape", "backspace": "BSpace", "delete": "DC",
	"insert": "IC", "up": "Up", "down": "Down", "left": "Left", "right": "Right", "home": "Home", "end": "End",
	"pgup": "PPage", "pgdown": "NPage", " ": "Space", "ctrl+@": "C-Space",
}

// paneKeys are the keys of a message as a pane takes them; none for a key that has no name there.
func paneKeys(msg tea.KeyMsg) []string {
	name := msg.String()
	if msg.Type == tea.KeyRunes {
		var keys []string
		for _, r := range msg.Runes {
			key := string(r)
			switch {
			case r == ' ':
				key = "Space"
			case r == '\n' || r == '\r':
				key = "Enter"
			case r == '\t':
				key = "Tab"
			case r < ' ':
				continue
			}
			if msg.Alt {
				key = "M-" + key
			}
			keys = append(keys, key)
		}
		return keys
	}
	prefix := ""
	for _, modifier := range []struct{ own, theirs string }{{"alt+", "M-"}, {"ctrl+", "C-"}, {"shift+", "S-"}} {
		if keyNames[name] != "" {
			break
		}
		if rest, has := strings.CutPrefix(name, modifier.own); has {
			name, prefix = rest, prefix+modifier.theirs
		}
	}
	switch {
	case keyNames[name] != "":
		return []string{prefix + keyNames[name]}
	case len(name) == 1 && prefix != "":
		return []string{prefix + name}
	case len(name) > 1 && name[0] == 'f' && strings.Trim(name[1:], "0123456789") == "":
		return []string{prefix + "F" + name[1:]}
	}
	return nil
}
