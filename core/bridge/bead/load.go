package bead

import (
	"context"
	"encoding/json"
	"path/filepath"

	"cupola/core/system/plainfile"
)

// Load returns the items of a project. If the files are only a copy of a database, it runs
// the tool. Without a tool, or if the tool fails, it reads the files and returns a warning.
func Load(ctx context.Context, project Project, tool *Tool) (set *Set, warning string, err error) {
	set, err = Read(project)
	if err != nil || !keepsDatabase(project.Beads) {
		return set, "", err
	}
	warning = "the items are in a database, and their file may be behind: "
	if tool == nil {
		return set, warning + "neither bd nor br is installed to ask", nil
	}
	asked, err := tool.Export(ctx, project)
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		return set, warning + err.Error(), nil
	}
	return asked, "", nil
}

// keepsDatabase reports whether a folder's items are in a database, so that the files
// are a copy that may be stale.
func keepsDatabase(beads string) bool {
	var meta struct {
		Backend  string `json:"backend"`
		Database string `json:"database"`
	}
	if text, err := plainfile.Read(filepath.Join(beads, "metadata.json"), plainfile.Text); err == nil &&
		json.Unmarshal(text, &meta) == nil {
		return meta.Backend == "dolt" || meta.Database == "dolt"
	}
	return false
}

// Export returns all items as the tool knows them, for projects that keep them in
// a database.
func (t *Tool) Export(ctx context.Context, project Project) (*Set, error) {
	out, err := t.run(ctx, project, "export")
	if err != nil {
		return nil, t.failure(err, "")
	}
	return Decode(out.stdout, t.Name), nil
}
