package usage

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/record/store"
)

// own records which session's agents wrote the transcripts, as far as that is
// known now. What is known stays known after the agents are gone.
func (l *Ledger) own(ctx context.Context, known map[string]*store.UsageFile, writers []transcript.Writer) error {
	var changed []store.UsageFile
	claims := claimsOf(writers)
	for _, f := range known {
		owner, agent := claims.of(f)
		if owner != "" && (owner != f.Owner || agent != f.Agent && agent != "") {
			f.Owner, f.Agent = owner, agent
			changed = append(changed, *f)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	s, err := l.opts.Write(ctx)
	if err != nil {
		return err
	}
	return store.UsageIn(s).Own(ctx, changed)
}

// claims map transcripts to the agents that own them.
type claims struct {
	byPath, bySession map[string]*transcript.Writer
	// byFolder has the agents that work in a folder and whose session is not known.
	byFolder map[folderOf][]*transcript.Writer
}

type folderOf struct {
	kind core.Kind
	dir  string
}

func claimsOf(writers []transcript.Writer) claims {
	c := claims{map[string]*transcript.Writer{}, map[string]*transcript.Writer{}, map[folderOf][]*transcript.Writer{}}
	for i := range writers {
		w := &writers[i]
		for _, session := range w.Earlier {
			c.bySession[string(w.Kind)+" "+session] = w
		}
		switch {
		case w.Own != "" && w.Certain:
			c.bySession[string(w.Kind)+" "+w.Own] = w
		case w.Record != "" && w.Certain && !isDatabase(w.Kind):
			c.byPath[w.Record] = w
		default:
			at := folderOf{w.Kind, w.Dir}
			c.byFolder[at] = append(c.byFolder[at], w)
		}
	}
	return c
}

// of returns the session and the agent; the agent is empty where it may be one of
// several. A certain writer keeps its transcripts.
func (c *claims) of(f *store.UsageFile) (owner, agent string) {
	if w := c.byPath[f.Path]; w != nil {
		return w.Session, w.Agent
	}
	if w := c.bySession[string(f.Kind)+" "+f.Session]; w != nil && f.Session != "" {
		return w.Session, w.Agent
	}
	if f.Owner != "" || f.Folder == "" {
		return "", ""
	}
	for _, w := range c.byFolder[folderOf{f.Kind, f.Folder}] {
		if w.Started.IsZero() || time.Unix(0, f.Modified).Before(w.Started) {
			continue
		}
		switch {
		case owner == "":
			owner, agent = w.Session, w.Agent
		case owner != w.Session:
			return "", ""
		default:
			agent = ""
		}
	}
	return owner, agent
}
