package server

import (
	"bytes"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/term"
)

// terminals captures the terminals of panes, types into them and sizes them.
type terminals struct{ server *server }

// capture returns the screens of panes, without those that are gone.
func (t terminals) capture(asks []engine.Ask) []core.Screen {
	screens := make([]core.Screen, 0, len(asks))
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	for _, ask := range asks {
		if p := t.server.panes[ask.Pane]; p != nil {
			screens = append(screens, p.screen(ask))
		}
	}
	return screens
}

// screen is what a pane shows; server.mu is held.
func (p *pane) screen(ask engine.Ask) core.Screen {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines, visible := p.term.Text(term.Extent{History: ask.History, Styled: ask.Escapes, Joined: ask.Join})
	return core.Screen{
		Pane: p.id, Lines: lines, Visible: visible, View: p.view(), Title: p.term.Title(), Taken: time.Now(),
	}
}

// paste types a text as a terminal does that pastes: newlines are carriage returns, in brackets if the program takes
// those.
func (t terminals) paste(id core.PaneID, text []byte) error {
	p, err := t.server.find(id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	bracketed := p.term.Modes().Paste
	p.mu.Unlock()
	typed := bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))
	if bracketed {
		typed = append(append([]byte("\x1b[200~"), typed...), "\x1b[201~"...)
	}
	return p.typeIn(typed)
}

// press types keys.
func (t terminals) press(id core.PaneID, keys []string) error {
	p, err := t.server.find(id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	modes := p.term.Modes()
	p.mu.Unlock()
	var typed []byte
	for _, key := range keys {
		if err := engine.CheckKey(key); err != nil {
			return err
		}
		typed = append(typed, keyBytes(key, modes)...)
	}
	if len(typed) == 0 {
		return nil
	}
	return p.typeIn(typed)
}
