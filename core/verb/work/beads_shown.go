package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/verb"
)

// ShownProject is a project of sessions that has work items, as overviews show it.
type ShownProject struct {
	_       struct{} `minimal:"project,ready,next"`
	Project string   `json:"project"`
	// Source is as in bead-list; Sessions are the sessions that work in the project, in their order.
	Source     string   `json:"source,omitempty"`
	Sessions   []string `json:"session_names" names:"session"`
	Open       int      `json:"open"`
	Ready      int      `json:"ready"`
	InProgress int      `json:"in_progress"`
	Blocked    int      `json:"blocked"`
	Closed     int      `json:"closed"`
	// Next are the ids of the items that triage recommends first, at most five,
	// in their order.
	Next []string `json:"next"`

	work *work
}

// mostNext is how many items an overview names.
const mostNext = 5

// ProjectsOf are the projects with work items that the sessions of a snapshot work
// in, in the order of their folders. What cannot be read is a warning.
func ProjectsOf(ctx context.Context, env *verb.Env, snap *core.Snapshot) ([]ShownProject, error) {
	sessions := map[bead.Project][]string{}
	for i := range snap.Sessions {
		session := &snap.Sessions[i]
		seen := map[string]bool{"": true}
		for j := range session.Panes {
			dir := session.Panes[j].Process.Dir
			if seen[dir] {
				continue
			}
			seen[dir] = true
			if place, err := bead.Locate(dir); err == nil && !slices.Contains(sessions[place], session.Name) {
				sessions[place] = append(sessions[place], session.Name)
			}
		}
	}
	projects := []ShownProject{}
	for place, names := range sessions {
		w, err := workAt(ctx, env, place)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			env.Warn(err.Error())
			continue
		}
		projects = append(projects, w.shown(names))
	}
	slices.SortFunc(projects, func(a, b ShownProject) int { return strings.Compare(a.Project, b.Project) })
	return projects, nil
}

func (w *work) shown(sessions []string) ShownProject {
	s := w.summary()
	row := ShownProject{
		Project: w.Project, Source: w.Source, Sessions: sessions, Open: s.Open, Ready: s.Ready,
		InProgress: s.InProgress, Blocked: s.Blocked, work: w,
	}
	for i := range w.items {
		if w.items[i].Done() && w.items[i].Work() {
			row.Closed++
		}
	}
	best := w.recommended()
	row.Next = idsOf(best[:min(mostNext, len(best))])
	return row
}

// MarkdownBeads is the section of the page that shows work items: what is in
// progress, then what should be taken next.
func MarkdownBeads(projects []ShownProject, most int) string {
	page := &strings.Builder{}
	for i := range projects {
		p := &projects[i]
		fmt.Fprintf(page, "## Work items\n\n%s: %d to do, %d ready, %d in progress, %d blocked, %d closed\n\n",
			p.Project, p.Open, p.Ready, p.InProgress, p.Blocked, p.Closed)
		items := slices.DeleteFunc(p.work.graph.Open(),
			func(item *bead.Item) bool { return item.Status != bead.InProgress })
		items = append(items, p.work.recommended()...)
		if most > 0 {
			items = items[:min(most, len(items))]
		}
		rows := [][]string{}
		for _, item := range items {
			state := string(item.Status)
			if p.work.graph.IsReady(item.ID) {
				state = "ready"
			}
			rows = append(rows, []string{item.ID, fmt.Sprintf("P%d", item.Priority), state, item.Assignee, item.Title})
		}
		verb.MarkdownTable(page, []string{"Item", "Priority", "State", "Who", "Title"}, rows)
	}
	return strings.TrimSpace(page.String())
}
