package command

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/bridge"
	"cupola/core/config"
	"cupola/core/fleet/observe"
	"cupola/core/plainfile"
	"cupola/core/report"
	"cupola/robot/registry"
)

// toolsFilter chooses programs.
type toolsFilter struct {
	Missing bool `json:"missing,omitempty" help:"Only what is not installed"`
}

type toolsIn struct {
	toolsFilter
	registry.Page `default:"limit=100"`
}

type toolsOut struct {
	Filters toolsFilter `json:"filters,omitzero"`
	// Tools has one row per program: agents first, then the tools of others.
	Tools []programRow `json:"tools" empty:"nothing is missing"`
	// Installed and Missing count all that there are.
	Installed int `json:"installed_count"`
	Missing   int `json:"missing_count"`
	paged
}

// programRow is a program that Cupola can use. What is not known is empty.
type programRow struct {
	_    struct{} `minimal:"tool,installed" standard:"tool,kind,installed,version,gives,install"`
	_    struct{} `table:"TOOL,VERSION,GIVES,HOW TO GET IT"`
	Tool string   `json:"tool" table:"TOOL,strong"`
	Name string   `json:"name"`
	// Kind is agent or tool.
	Kind      string `json:"kind"`
	Installed bool   `json:"installed"`
	Version   string `json:"version,omitempty" table:"VERSION,good"`
	Path      string `json:"path,omitempty"`
	// Gives says what it is good for, Install how to get it on this system, where a
	// command does; Home is where else to look.
	Gives   string `json:"gives" table:"GIVES,flex"`
	Install string `json:"install,omitempty" table:"HOW TO GET IT,code"`
	Home    string `json:"home,omitempty"`
	// Verbs are those that reach it.
	Verbs []string `json:"verb_names"`
	// Problem says why its version or its bridge could not be read.
	Problem string `json:"problem,omitempty"`

	version []string
	// slow is true of one that took too long to say its version, which is no problem.
	slow bool
}

// The kinds of rows.
const (
	toolAgent = "agent"
	toolOther = "tool"
)

var tools = registry.Define(registry.Spec[*Env, toolsIn, toolsOut]{
	Name: "tools", Group: groupSetup, Short: "List the agents and tools Cupola can use, and how to get them",
	Aliases: []string{"tool list", "tools list"},
	Long: "Installed programs are asked for their versions, unless their packages say it. None of them is " +
		"required; a verb that needs one says so.",
	Scope: registry.Global, Effect: registry.Reads, List: "tools",
	Examples: []string{"", "--missing"},
	Errors:   []core.Code{core.ConfigInvalid}, Run: runTools,
}).SeeAlso("doctor", "setup")

func runTools(ctx context.Context, env *Env, in toolsIn) (toolsOut, error) {
	rows, err := programRows(env)
	if err != nil {
		return toolsOut{}, err
	}
	askVersions(ctx, env, rows)
	out := toolsOut{Filters: in.toolsFilter}
	var found []programRow
	for _, row := range rows {
		if row.Installed {
			out.Installed++
		} else {
			out.Missing++
		}
		if !in.Missing || !row.Installed {
			found = append(found, row)
		}
	}
	out.Tools, out.paged = cut(found, in.Page)
	return out, nil
}

// programRows are the rows without versions; no program is started.
func programRows(env *Env) ([]programRow, error) {
	kinds, err := Kinds(env.Paths)
	if err != nil {
		return nil, err
	}
	var rows []programRow
	for _, kind := range kinds.All() {
		if row, ok := agentTool(env, kind); ok {
			rows = append(rows, row)
		}
	}
	for _, id := range env.Bridges.IDs() {
		rows = append(rows, bridgeTool(env, id))
	}
	return rows, nil
}

// Kinds returns the agent kinds that the user has.
func Kinds(paths config.Paths) (*agent.Kinds, error) {
	kinds, err := agent.Load(plainfile.Folder(paths.Agents()))
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%s: %w", paths.Agents(), err)
	}
	return kinds, nil
}

// agentTool is the row of an agent kind; it is not ok for one that is no program
// of its own.
func agentTool(env *Env, kind *agent.Kind) (programRow, bool) {
	if len(kind.Launch.Command) == 0 || kind.Launch.Command[0] == agent.Self {
		return programRow{}, false
	}
	row := programRow{
		Tool: string(kind.ID), Name: kind.Name, Kind: toolAgent, Gives: "Agents of the kind " + string(kind.ID),
		Install: kind.Launch.Install, Verbs: []string{"spawn", "add"}, version: []string{"--version"},
	}
	path, err := env.Bridges.Find(kind.Launch.Command[0])
	row.Path, row.Installed = path, err == nil
	return row, true
}

// bridgeTool is the row of a tool that has a bridge, or may have one.
func bridgeTool(env *Env, id string) programRow {
	row := programRow{Tool: id, Name: id, Kind: toolOther}
	tool, err := env.Bridges.Tool(id)
	if err != nil {
		row.Problem = err.Error()
		return row
	}
	row.Name, row.Gives, row.Install, row.Home, row.version = tool.Name, tool.Gives, tool.Install, tool.Home,
		tool.Version
	_, err = env.Bridges.Find("brew")
	row.Install = installation(tool.Install, runtime.GOOS, err == nil)
	for _, name := range tool.ActionNames() {
		row.Verbs = append(row.Verbs, id+"-"+name)
	}
	row.Path, row.Installed = env.Bridges.Locate(tool)
	return row
}

// installation is the first of several ways to get a program that goes on this
// system; empty where none does.
func installation(ways, system string, brew bool) string {
	for way := range strings.SplitSeq(ways, ", or ") {
		wrong := system == "darwin" && strings.HasPrefix(way, "apt ") ||
			system != "darwin" && !brew && strings.HasPrefix(way, "brew ")
		if !wrong {
			return way
		}
	}
	return ""
}

// installTmux is how to get tmux.
func installTmux() string {
	return installation("apt install tmux, or brew install tmux", runtime.GOOS, false)
}

// askedTogether is how many programs are asked for their versions at a time.
const askedTogether = 8

// askVersions asks every program that is installed for its version.
func askVersions(ctx context.Context, env *Env, rows []programRow) {
	var all sync.WaitGroup
	turns := make(chan struct{}, askedTogether)
	asked := 0
	for i := range rows {
		row := &rows[i]
		if !row.Installed {
			continue
		}
		if row.Kind == toolAgent {
			// Some agents take seconds to say it.
			row.Version = observe.VersionOf(row.Path)
		}
		if row.Version != "" {
			continue
		}
		asked++
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			row.setVersion(bridge.VersionOf(ctx, row.Path, row.version))
		})
	}
	if env.Progress != nil {
		env.Progress(core.Progress{Phase: "versions", Percent: -1, Message: "asking " + plural(asked, "program")})
	}
	all.Wait()
}

// setVersion takes what a program answered when it was asked for its version.
func (r *programRow) setVersion(version string, err error) {
	r.Version, r.slow = version, core.AsError(err).HasCode(core.Timeout)
	if err != nil && !r.slow {
		r.Problem = core.AsError(err).Error()
	}
}

// toolSection is a program in the snapshot, where none is started.
type toolSection struct {
	_         struct{} `minimal:"tool,installed"`
	Tool      string   `json:"tool"`
	Kind      string   `json:"kind"`
	Installed bool     `json:"installed"`
	Path      string   `json:"path,omitempty"`
}

// toolSections are the programs for the snapshot; without agents where their kinds
// cannot be read.
func toolSections(env *Env) []toolSection {
	sections := []toolSection{}
	if kinds, err := Kinds(env.Paths); err == nil {
		for _, kind := range kinds.All() {
			if row, ok := agentTool(env, kind); ok {
				sections = append(sections,
					toolSection{Tool: row.Tool, Kind: row.Kind, Installed: row.Installed, Path: row.Path})
			}
		}
	}
	for _, id := range env.Bridges.IDs() {
		sections = append(sections, otherSection(env, id))
	}
	return sections
}

func otherSection(env *Env, id string) toolSection {
	path, ok := env.Bridges.Installed(id)
	return toolSection{Tool: id, Kind: toolOther, Installed: ok, Path: path}
}

// mailSection is the program that passes mail between agents.
func mailSection(env *Env) *toolSection {
	mail := otherSection(env, "mail")
	return &mail
}

// Cell shows where a tool is, or what installs it.
func (r *programRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "VERSION" && !r.Installed:
		return report.Toned(report.Dim, "missing"), true
	case title == "VERSION" && r.Problem != "":
		return report.Toned(report.Warn, "unknown"), true
	case title == "VERSION" && r.Version == "":
		return report.Toned(report.Good, "installed"), true
	case title == "HOW TO GET IT" && r.Installed:
		return report.Toned(report.Dim, r.Path), true
	case title == "HOW TO GET IT" && r.Install == "":
		return report.Toned(report.Dim, r.Home), true
	}
	return report.Cell{}, false
}
