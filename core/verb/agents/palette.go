package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/config/palette"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// paletteFilters choose saved prompts.
type paletteFilters struct {
	registry.OfSession
	Category string `json:"category,omitempty" help:"Only this category"`
	Search   string `json:"search,omitempty" help:"Only prompts that contain all these words"`
}

type paletteIn struct {
	paletteFilters
	registry.Page `default:"limit=100"`
}

type paletteOut struct {
	Filters paletteFilters `json:"filters,omitzero"`
	// Prompts has one row per saved prompt: the user's first, then the project's.
	Prompts []paletteRow `json:"prompts" empty:"no saved prompts; write some into palette.toml in the configuration folder" filtered:"nothing fits the filters"`
	// Categories are all that there are, sorted.
	Categories []string `json:"categories"`
	verb.Paged
}

// paletteRow is one saved prompt. What does not apply is absent.
type paletteRow struct {
	_ struct{} `minimal:"key,label" standard:"key,label,category,source,text"`
	_ struct{} `table:"KEY,LABEL,CATEGORY,FROM,TEXT"`
	palette.Prompt
	// Source is user or project.
	Source string `json:"source,omitempty" table:"FROM,dim"`
}

var saved = registry.Define(registry.Spec[*verb.Env, paletteIn, paletteOut]{
	Name: "palette", Group: verb.GroupAgents, Short: "List saved prompts",
	Aliases: []string{"palette list", "palette show"},
	Long: "They are kept in palette.toml in the configuration folder and in the project's .cupola/palette.toml, as " +
		"[[prompt]] tables with key, text and optionally label, category, tags and sessions. Send one with 'cupola " +
		"send SESSION --palette=KEY'. If both files have a key, the user's own file wins.",
	Scope: registry.Global, Effect: registry.Reads, List: "prompts",
	Deprecated: registry.Prefixed{Prefix: "palette", Flags: []string{"category", "search", "session"}},
	Examples:   []string{"", "--session=api --category=review --search=diff"},
	Errors: []core.Code{
		core.SessionNotFound, core.ConfigInvalid, core.PermissionDenied, core.StoreError,
		core.StoreLocked, core.MigrationFailed,
	},
	Run: runPalette,
}).SeeAlso("history", "status")

func runPalette(ctx context.Context, env *verb.Env, in paletteIn) (paletteOut, error) {
	var err error
	if in.Session, err = verb.SessionOnRecord(ctx, env, in.Session); err != nil {
		return paletteOut{}, err
	}
	prompts, err := palette.Load(env.Location)
	if err != nil {
		return paletteOut{}, err
	}
	out := paletteOut{Filters: in.paletteFilters}
	var rows []paletteRow
	for i := range prompts {
		p := &prompts[i]
		if p.Category != "" && !slices.Contains(out.Categories, p.Category) {
			out.Categories = append(out.Categories, p.Category)
		}
		if in.Session != "" && !p.Offered(in.Session) || in.Category != "" && p.Category != in.Category ||
			!p.Mentions(in.Search) {
			continue
		}
		row := paletteRow{Prompt: *p, Source: "user"}
		if p.Project {
			row.Source = "project"
		}
		rows = append(rows, row)
	}
	slices.Sort(out.Categories)
	out.Prompts, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}

func (o paletteOut) Hints() *registry.Hints {
	if o.Filters.Category != "" && !slices.Contains(o.Categories, o.Filters.Category) {
		return &registry.Hints{Summary: fmt.Sprintf("No prompt has the category %q; there are: %s", o.Filters.Category,
			cmp.Or(strings.Join(o.Categories, ", "), "none"))}
	}
	return verb.PageHints(o.Pagination)
}

func (o paletteOut) Next() []registry.Action {
	if len(o.Prompts) == 0 || o.Filters.Session == "" {
		return nil
	}
	first := o.Prompts[0]
	return verb.NextOnly("send", "Send "+first.Label, "send", o.Filters.Session, "--palette="+first.Key)
}

// Cell says of a project's prompt that the user's own takes its place.
func (r *paletteRow) Cell(title string) (report.Cell, bool) {
	if title == "FROM" && r.Shadowed {
		return report.Toned(report.Warn, "project (yours wins)"), true
	}
	return report.Cell{}, false
}
