package server

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cupola/core/system/process"
)

// reaper notices programs that ended, and what others run.
type reaper struct {
	tree     *tree
	watchers *watchers
	// collected are the pids of panes that are gone, until they are waited for; tree.mu guards them.
	collected map[int]bool
}

// reap waits for the programs of panes that have ended. One goroutine does it for all: a thread for each would be
// hundreds of threads.
func (r *reaper) reap(ctx context.Context) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		r.reapOnce()
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
	}
}

// reapOnce waits for all that have ended. It asks for each pid of its own, so that it takes no child of other code.
func (r *reaper) reapOnce() {
	r.tree.mu.Lock()
	defer r.tree.mu.Unlock()
	for pid := range r.collected {
		if _, ended := waited(pid); ended {
			delete(r.collected, pid)
		}
	}
	for _, p := range r.tree.panes {
		p.mu.Lock()
		if !p.waited && p.pid != 0 {
			if status, ended := waited(p.pid); ended {
				p.waited, p.status, p.died = true, status, time.Now()
				p.finishLater()
			}
		}
		done := p.waited && p.drained && !p.dead
		p.mu.Unlock()
		if done {
			r.bury(p)
		}
	}
}

// finishLater does not wait for the last output forever; mu of the pane is held.
func (p *pane) finishLater() {
	master := p.master
	if p.drained || master == nil {
		return
	}
	time.AfterFunc(drainWithin, func() { p.server.reaper.wentQuiet(p, master) })
}

// waited returns how a child ended, if it has.
func waited(pid int) (status syscall.WaitStatus, ended bool) {
	for {
		got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
		switch err {
		case syscall.EINTR:
		case syscall.ECHILD: // the child of a server that was killed: how it ended is unknown
			return unknownStatus, !runs(pid)
		default:
			return status, err == nil && got == pid
		}
	}
}

// unknownStatus is the status of a program whose server was killed before it ended.
const unknownStatus = syscall.WaitStatus(0xff00)

// runs reports whether a process runs that may be no child of this process.
func runs(pid int) bool {
	p, err := process.Find(pid)
	return err == nil && !p.Zombie
}

// wentQuiet notes that the terminal of a pane gives nothing any more.
func (r *reaper) wentQuiet(p *pane, master *os.File) {
	r.tree.mu.Lock()
	defer r.tree.mu.Unlock()
	p.mu.Lock()
	if p.master != master || p.drained {
		p.mu.Unlock()
		return
	}
	p.drained = true
	done := p.waited && !p.dead
	p.mu.Unlock()
	if done {
		r.bury(p)
	} else {
		r.reapLater()
	}
}

// reapLater reaps once more: the signal of an end can come before its status.
func (r *reaper) reapLater() { time.AfterFunc(time.Millisecond, r.reapOnce) }

// bury marks a pane whose program has ended, or removes it if it goes with its program; mu is held. A program that was
// killed goes once it is known that its server was not.
func (r *reaper) bury(p *pane) {
	if r.tree.panes[p.id] != p {
		return
	}
	p.mu.Lock()
	stays := p.keeps || p.killed() || p.lost(r.tree.replaced)
	p.mu.Unlock()
	if !stays {
		r.tree.remove(p)
		return
	}
	if !p.keeps {
		r.removeLater(p)
	}
	p.mu.Lock()
	p.dead = true
	if p.master != nil {
		_ = p.master.Close()
		p.master = nil
	}
	for v := range p.viewers {
		v.note("the program has ended")
	}
	p.mu.Unlock()
	r.tree.follower.gone(p.id, 0)
	r.tree.follower.restructured(p.id)
}

// removeLater removes a pane whose program was killed, unless it was lost with its server or runs again by then.
func (r *reaper) removeLater(p *pane) {
	time.AfterFunc(lostWithin, func() {
		r.tree.mu.Lock()
		defer r.tree.mu.Unlock()
		p.mu.Lock()
		stays := !p.dead || p.lost(r.tree.replaced)
		p.mu.Unlock()
		if !stays && r.tree.panes[p.id] == p {
			r.tree.remove(p)
		}
	})
}
