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
	// pollSoon is the time between two polls of the programs in panes that print, while a client watches; pollLate is
	// the time for all panes. No event reports which program is in the foreground.
	pollSoon, pollLate = time.Second, 10 * time.Second
	// printsOn is how long a pane counts as one that prints after it last did.
	printsOn = 2 * time.Second
)

// pollPrograms keeps the foreground programs of panes up to date while a client watches, until ctx ends.
func (r *reaper) pollPrograms(ctx context.Context) {
	ticks := time.NewTicker(pollSoon)
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
		ticks.Reset(pollSoon)
		all := time.Since(late) >= pollLate
		if all {
			late = time.Now()
		}
		r.refreshPrograms(all)
	}
}

// refreshPrograms reads the foreground program of each pane, or only of the panes that print.
func (r *reaper) refreshPrograms(all bool) {
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
		if (all || prints) && p.refreshProgram() {
			changed = append(changed, p.id)
		}
	}
	if len(changed) > 0 {
		r.tree.follower.restructured()
	}
}

// refreshProgram reads which program is in the foreground and its folder, and reports whether either changed.
func (p *pane) refreshProgram() bool {
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
	p.command, p.dir = command, dir
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
