package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/palette"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type paletteIn struct {
	registry.OfSession
	Category string `help:"Only this category"`
	Search   string `help:"Only prompts that contain all these words"`
	registry.Page
}

type paletteOut struct {
	Filters paletteFilters `json:"filters,omitzero"`
	// Prompts has a row a saved prompt: the user's first, then the project's.
	Prompts []paletteRow `json:"prompts"`
	// Categories are all that there are, sorted.
	Categories []string `json:"categories"`
	paged
}

// paletteFilters echoes what was asked for.
type paletteFilters struct {
	Session  string `json:"session,omitempty"`
	Category string `json:"category,omitempty"`
	Search   string `json:"search,omitempty"`
}

// paletteRow is one saved prompt. What does not apply is absent.
type paletteRow struct {
	_ struct{} `minimal:"key,label" standard:"key,label,category,source,text"`
	_ struct{} `table:"KEY,LABEL,CATEGORY,FROM,TEXT"`
	palette.Prompt
	// Source is user or project.
	Source string `json:"source,omitempty" table:"FROM,dim"`
}

var saved = registry.Define(registry.Spec[paletteIn, paletteOut]{
	Name: "palette", Group: groupAgents, Short: "List saved prompts",
	Aliases: []string{"palette list", "palette show"},
	Long: "They are kept in palette.toml in the configuration folder and in the project's .cupola/palette.toml, as " +
		"[[prompt]] tables with " +
		"key, text and optionally label, category, tags and sessions. Send one with 'cupola send SESSION " +
		"--palette=KEY'. If both files have a key, the user's own file wins.",
	Scope: registry.Global, Effect: registry.Reads, List: "prompts",
	Deprecated: registry.Prefixed{Prefix: "palette", Flags: []string{"category", "search", "session"}},
	Default:    paletteIn{Page: registry.Page{Limit: 100}},
	Examples: []paletteIn{
		{Page: registry.Page{Limit: 100}},
		{
			OfSession: registry.OfSession{Session: "api"}, Category: "review", Search: "diff",
			Page: registry.Page{Limit: 100},
		},
	},
	Errors: []core.Code{
		core.SessionNotFound, core.ConfigInvalid, core.PermissionDenied, core.StoreError,
		core.StoreLocked, core.MigrationFailed,
	},
	Run: runPalette, Human: func(_ paletteIn, out paletteOut) *report.Report { return paletteReport(out) },
	Hints: paletteHints, Next: paletteNext,
}).SeeAlso("history", "status")

func runPalette(ctx context.Context, deps *registry.Deps, in paletteIn) (paletteOut, error) {
	var err error
	if in.Session, err = onRecord(ctx, deps, in.Session); err != nil {
		return paletteOut{}, err
	}
	prompts, err := palette.Load(deps.Place)
	if err != nil {
		return paletteOut{}, err
	}
	out := paletteOut{Filters: paletteFilters{Session: in.Session, Category: in.Category, Search: in.Search}}
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
	out.Prompts, out.paged = cut(rows, in.Page)
	return out, nil
}

func paletteHints(in paletteIn, out paletteOut) *registry.Hints {
	if in.Category != "" && !slices.Contains(out.Categories, in.Category) {
		return &registry.Hints{Summary: fmt.Sprintf("No prompt has the category %q; there are: %s", in.Category,
			cmp.Or(strings.Join(out.Categories, ", "), "none"))}
	}
	return pageHints(out.Pagination)
}

func paletteNext(in paletteIn, out paletteOut) []registry.Action {
	if len(out.Prompts) == 0 || in.Session == "" {
		return nil
	}
	key := out.Prompts[0].Key
	return []registry.Action{{
		Action: "send", Description: "Send " + out.Prompts[0].Label,
		Command: shell.Line("cupola", "send", in.Session, "--palette="+key),
	}}
}

func paletteReport(out paletteOut) *report.Report {
	const nothing = "no saved prompts; write some into palette.toml in the configuration folder"
	empty := none(out.Filters != paletteFilters{}, nothing)
	return report.TableOf(out.Prompts, time.Time{}, empty).Report()
}

// Cell says of a project's prompt that the user's own takes its place.
func (r *paletteRow) Cell(title string) (report.Cell, bool) {
	if title == "FROM" && r.Shadowed {
		return report.Toned(report.Warn, "project (yours counts)"), true
	}
	return report.Cell{}, false
}
