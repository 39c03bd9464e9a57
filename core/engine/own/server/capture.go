package server

import (
	"bytes"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/term"
)

// capture returns the screens of panes, without those that are gone.
func (t *tree) capture(asks []engine.Ask) []core.Screen {
	screens := make([]core.Screen, 0, len(asks))
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, ask := range asks {
		if p := t.panes[ask.Pane]; p != nil {
			screens = append(screens, p.screen(ask))
		}
	}
	return screens
}

// screen returns the rows of a pane; tree.mu is held.
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
func (p *pane) paste(text []byte) error {
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
func (p *pane) press(keys []string) error {
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
