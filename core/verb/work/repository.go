package work

import (
	"context"
	"path"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/git/commits"
	"cupola/core/text/near"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// inRepository lets a verb of files be pointed at a repository, and says how far
// back to look.
type inRepository struct {
	verb.InProject
	Since registry.Since `since:"time" help:"Only commits since this time, at most the newest 5000"`
}

// repository says what an answer about files was made from.
type repository struct {
	// Repository is the folder of the work tree; files are paths from there.
	Repository string `json:"repository"`
	// Commits is how many were looked at, merges left out; Complete is false where
	// older ones were left out.
	Commits  int  `json:"commits"`
	Complete bool `json:"complete"`
	// Source is where work items come from, as in bead-list; absent without any.
	Source string `json:"source,omitempty"`
}

// readingFiles are the codes that verbs of files may fail with.
var readingFiles = append([]core.Code{core.ToolNotFound, core.Timeout, core.NotFound}, readingBeads...)

// projectFiles are a repository's history and, where it has some, its work items.
type projectFiles struct {
	repository
	dir string
	log *commits.Log
	// work has no items where there are none.
	work *work
	// touches says which items and files belong together, by id and file.
	touches map[string]map[string]*bead.Touch
}

func filesOfProject(ctx context.Context, env *verb.Env, in inRepository) (*projectFiles, error) {
	dir, err := in.Folder(ctx, env)
	if err != nil {
		return nil, err
	}
	log, err := commits.Read(ctx, dir, commits.Request{Since: in.Since.AsTime(env.Now())})
	if err != nil {
		return nil, err
	}
	f := &projectFiles{dir: dir, log: log, work: &work{graph: bead.NewGraph(nil, env.Now()), set: &bead.Set{}}}
	if place, err := bead.Locate(dir); err == nil {
		if f.work, err = workAt(ctx, env, place); err != nil {
			return nil, err
		}
	}
	f.repository = repository{
		Repository: log.Root, Commits: len(log.Commits), Complete: log.Complete,
		Source: f.work.Source,
	}
	f.touches = bead.Touches(f.work.items, log)
	return f, nil
}

// find is the named file, as the repository names it. It must be one that
// the repository holds, or that a commit changed.
func (f *projectFiles) find(file string) (string, error) {
	name := f.log.Path(f.dir, file)
	if f.log.Tracked[name] || f.log.Spot(name).Commits > 0 {
		return name, nil
	}
	var names []string
	for tracked := range f.log.Tracked {
		names = append(names, tracked)
	}
	suggestions := near.Words(name, names)
	if len(suggestions) == 0 {
		for _, tracked := range names {
			if path.Base(tracked) == path.Base(name) {
				suggestions = append(suggestions, tracked)
			}
		}
		suggestions = near.Words(path.Base(name), suggestions)
	}
	return "", &core.Error{
		Code: core.NotFound, Message: name + " is not a file of the repository, and no commit changed it",
		Hint: "Name a file as 'git ls-files' does, or by its path from here.", Suggestions: suggestions,
		Slip: core.Slip{Word: file}, Actions: []string{"cupola hotspots"},
	}
}

// fileItem is a work item that is about a file.
type fileItem struct {
	_        struct{}    `minimal:"id,title" standard:"id,title,status,priority,named,commits"`
	_        struct{}    `table:"ID,PRIORITY,STATE,COMMITS,NAMED,TITLE"`
	ID       string      `json:"id" table:"ID,strong"`
	Title    string      `json:"title" table:"TITLE,flex"`
	Status   bead.Status `json:"status" table:"STATE"`
	Priority int         `json:"priority" table:"PRIORITY,format=P%d"`
	Assignee string      `json:"assignee,omitempty"`
	// Named is true if the item's own words name the file; Commits counts the commits
	// that name the item and changed it.
	Named   bool `json:"named" table:"NAMED,empty=-"`
	Commits int  `json:"commits" table:"COMMITS"`
}

// about are the items that are about a file, those that are not done first, then
// the most urgent.
func (f *projectFiles) about(file string) []fileItem {
	items := []fileItem{}
	add := func(done bool) {
		for _, item := range f.work.graph.All() {
			if touch := f.touches[item.ID][file]; touch != nil && item.Done() == done {
				items = append(items, fileItem{
					ID: item.ID, Title: item.Title, Status: item.Status, Priority: item.Priority,
					Assignee: item.Assignee, Named: touch.Text, Commits: len(touch.Commits),
				})
			}
		}
	}
	add(false)
	add(true)
	return items
}
