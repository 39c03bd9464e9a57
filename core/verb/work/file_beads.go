package work

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type fileBeadsIn struct {
	File string `arg:"1" required:"true" names:"file-name" help:"The file"`
	inRepository
	registry.Page `default:"limit=100"`
}

type fileBeadsOut struct {
	repository
	verb.Paged
	File string `json:"file"`
	// Items has one row per work item that is about the file: those not done first, then
	// the most urgent.
	Items []fileItem `json:"items" empty:"no work item is about it"`
}

var fileBeads = registry.Define(registry.Spec[*verb.Env, fileBeadsIn, fileBeadsOut]{
	Name: "file-beads", Of: "impact", Group: verb.GroupWork, Short: "List the work items that are about a file",
	Long:  "An item is about a file if its text names the file, or if a commit that names the item changed it.",
	Scope: registry.Resource, Effect: registry.Reads, List: "items",
	Deprecated: registry.Prefixed{Prefix: "file-beads", Flags: []string{"limit"}},
	Examples:   []string{"main.go"},
	Errors:     readingFiles, Run: runFileBeads,
}).SeeAlso("bead-list", "files")

func runFileBeads(ctx context.Context, env *verb.Env, in fileBeadsIn) (fileBeadsOut, error) {
	f, err := filesOfProject(ctx, env, in.inRepository)
	if err != nil {
		return fileBeadsOut{}, err
	}
	file, err := f.find(in.File)
	if err != nil {
		return fileBeadsOut{}, err
	}
	out := fileBeadsOut{repository: f.repository, File: file}
	out.Items, out.Paged = verb.Cut(f.about(file), in.Page)
	return out, nil
}
