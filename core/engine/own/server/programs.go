package server

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/process"
)

const (
	// looksSoon is how often the programs of panes that print are looked at while a client watches, looksLate how often
	// those of the others. No event says which program is in front.
	looksSoon, looksLate = time.Second, 10 * time.Second
	// printsOn is how long a pane is looked at soon after it last printed.
	printsOn = 2 * time.Second
)

// lookAtPrograms looks which programs are in front while a client watches.
func (r *reaper) lookAtPrograms(ctx context.Context) {
	ticks := time.NewTicker(looksSoon)
	defer ticks.Stop()
	late := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.watchers.first:
			late = time.Time{}
		case <-ticks.C:
		}
		if !r.watchers.any() {
			ticks.Stop()
			continue
		}
		ticks.Reset(looksSoon)
		all := time.Since(late) >= looksLate
		if all {
			late = time.Now()
		}
		r.lookAt(all)
	}
}

// lookAt looks at all panes, or at those that print.
func (r *reaper) lookAt(all bool) {
	r.tree.mu.Lock()
	defer r.tree.mu.Unlock()
	var changed []core.PaneID
	for _, p := range r.tree.panes {
		p.mu.Lock()
		prints := !p.printed.IsZero()
		if time.Since(p.printed) > printsOn {
			p.printed = time.Time{}
		}
		p.mu.Unlock()
		if (all || prints) && p.look() {
			changed = append(changed, p.id)
		}
	}
	if len(changed) > 0 {
		r.tree.told.restructured()
	}
}

// look asks which program is in front and where, and reports whether that changed.
func (p *pane) look() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.master == nil || p.waited {
		return false
	}
	group, err := frontGroup(p.master)
	if err != nil || group <= 1 {
		group = p.pid
	}
	command, dir := p.command, p.dir
	if argv := process.Argv(group); len(argv) > 0 {
		command = commandName(argv[0])
	} else if running, err := process.Find(group); err == nil && command == "" {
		command = running.Name // it is just becoming another program, and has no arguments for a moment
	}
	if where, err := process.Dir(group); err == nil {
		dir = where
	}
	changed := command != p.command || dir != p.dir
	p.group, p.command, p.dir = group, command, dir
	return changed
}

// commandName is the name of a program by its first argument, as tmux shows it.
func commandName(argument string) string {
	name := strings.TrimLeft(argument, " -")
	if before, _, more := strings.Cut(name, " "); more {
		name = before
	}
	return filepath.Base(name)
}
