package measure

import (
	"context"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

const (
	// replyTries is how often the reply of a finished turn is read until it is on record, replyAgain the time between.
	replyTries = 3
	replyAgain = time.Second
	// mostSaid is the most of a reply's first line that is kept, in bytes.
	mostSaid = 160
)

// ReplyMonitor reads the replies of finished turns not looked at yet, each once. The zero value reads none.
type ReplyMonitor struct {
	replies func(ctx context.Context, target resolve.Target) ([]conversation.Reply, error)
	again   time.Duration

	mu sync.Mutex
	// ended has, by pane, the end of the turn that was read last or is to be read; due has the panes with one
	// to be read.
	ended map[core.PaneID]time.Time
	due   []core.PaneID
	wake  chan struct{}
}

// NewReplyMonitor returns a ReplyMonitor.
func NewReplyMonitor(conversations *conversation.Reader) *ReplyMonitor {
	return &ReplyMonitor{
		replies: conversations.Replies, again: replyAgain, ended: map[core.PaneID]time.Time{},
		wake: make(chan struct{}, 1),
	}
}

// Note updates the monitor from a snapshot.
func (g *ReplyMonitor) Note(snapshot *core.Snapshot) {
	if g.replies == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, pane := range snapshot.Panes() {
		s := &pane.Status
		if s.Said != "" || s.Shown() != core.Done || g.ended[pane.ID].Equal(s.Since) {
			continue
		}
		g.ended[pane.ID] = s.Since
		g.due = append(g.due, pane.ID)
		select {
		case g.wake <- struct{}{}:
		default:
		}
	}
}

// Run reads until ctx ends, and calls said with the beginning of each reply.
func (g *ReplyMonitor) Run(ctx context.Context, said func(core.PaneID, observe.Turn)) {
	for g.replies != nil {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return
		}
		g.mu.Lock()
		due := g.due
		g.due = nil
		g.mu.Unlock()
		for _, pane := range due {
			g.mu.Lock()
			ended := g.ended[pane]
			g.mu.Unlock()
			if line := g.read(ctx, pane); line != "" {
				said(pane, observe.Turn{Ended: ended, Said: line})
			}
		}
	}
}

// read returns the first line of an agent's last reply; empty if it is not on record, or not known to be its own. The
// text that a screen shows behind the prompt does not get more complete.
func (g *ReplyMonitor) read(ctx context.Context, pane core.PaneID) string {
	for range replyTries {
		found, err := g.replies(ctx, resolve.Target{Session: string(pane)})
		if err != nil || ctx.Err() != nil {
			return ""
		}
		if len(found) != 1 {
			return ""
		}
		shown := found[0].Source == conversation.FromScreen && found[0].Certain && found[0].Prompt != ""
		if found[0].Complete || shown {
			return firstLine(found[0].Text)
		}
		if core.Sleep(ctx, g.again) != nil {
			return ""
		}
	}
	return ""
}

// firstLine is the first line of a reply that has words, without the marks of a heading or a list.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(strings.Trim(line, "#*->_` \t\r\n")), " ")
		if line == "" {
			continue
		}
		if len(line) > mostSaid {
			line = strings.ToValidUTF8(line[:mostSaid], "") + "…"
		}
		return line
	}
	return ""
}
