// Package tools declares the verb that lists agents and tools of the machine, and the verbs of those tools.
package tools

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/bridge"
	"cupola/core/fleet/observe"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
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
	Tools []ProgramRow `json:"tools" empty:"nothing is missing"`
	// Installed and Missing count all that there are.
	Installed int `json:"installed_count"`
	Missing   int `json:"missing_count"`
	verb.Paged
}

// ProgramRow is a program that Cupola can use. What is not known is empty.
type ProgramRow struct {
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
	Install string `json:"install,omitempty" names:"command" table:"HOW TO GET IT,code"`
	Home    string `json:"home,omitempty"`
	// ShownBy is how panes of an agent can be shown, the usual way first: its own screen, or the conversation by the
	// Agent Client Protocol. It is empty for other tools.
	ShownBy []agent.By `json:"shown_by,omitempty" enum:"screen,acp"`
	// Verbs are the verbs that reach it.
	Verbs []string `json:"verb_names"`
	// Unproven says what of an agent was never seen to work, and of a tool what its answers were taken from without it;
	// absent where all was seen.
	Unproven string `json:"not_proven,omitempty"`
	// Problem is the reason why its version or its bridge could not be read.
	Problem string `json:"problem,omitempty"`

	// versionArgs make it say its version.
	VersionArgs []string `json:"-"`
	// Agent is the kind of an agent; nil for other tools.
	Agent *agent.Kind `json:"-"`
	// slow is true of one that took too long to say its version, which is no problem.
	Slow bool `json:"-"`
}

// The kinds of rows.
const (
	ToolAgent = "agent"
	ToolOther = "tool"
)

var tools = registry.Define(registry.Spec[*verb.Local, toolsIn, toolsOut]{
	Name: "tools", Group: verb.GroupSetup, Short: "List agents and tools, and how to get them",
	Aliases: []string{"tool list", "tools list"},
	Long: "Installed programs are asked for their versions, unless their packages say it. None of them is " +
		"required; a verb that needs one says so.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "tools",
	Examples: []string{"", "--missing"},
	Errors:   []core.Code{core.ConfigInvalid}, Run: runTools,
}).SeeAlso("doctor", "setup")

func runTools(ctx context.Context, env *verb.Local, in toolsIn) (toolsOut, error) {
	rows := ProgramRows(env)
	AskVersions(ctx, env, rows)
	out := toolsOut{Filters: in.toolsFilter}
	var found []ProgramRow
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
	out.Tools, out.Paged = verb.Cut(found, in.Page)
	return out, nil
}

// ProgramRows are the rows without versions; no program is started.
func ProgramRows(env *verb.Local) []ProgramRow {
	rows := core.Map(env.Kinds().Installables(), func(program agent.Installable) ProgramRow {
		return AgentTool(env, &program)
	})
	for _, id := range env.Bridges.IDs() {
		rows = append(rows, bridgeTool(env, id))
	}
	return rows
}

// AgentTool is the row of the program of an agent kind.
func AgentTool(env *verb.Local, of *agent.Installable) ProgramRow {
	kind := of.Kind
	row := ProgramRow{
		Tool: string(kind.ID), Name: kind.Name, Kind: ToolAgent, Gives: "Agents of the kind " + string(kind.ID),
		Unproven: kind.Unproven, Install: kind.Launch.Install, ShownBy: of.Ways, Verbs: []string{"spawn", "add"},
		VersionArgs: []string{"--version"}, Agent: kind,
	}
	path, err := env.Bridges.Find(of.Program)
	row.Path, row.Installed = path, err == nil
	return row
}

// bridgeTool is the row of a tool that has a bridge, or may have one.
func bridgeTool(env *verb.Local, id string) ProgramRow {
	row := ProgramRow{Tool: id, Name: id, Kind: ToolOther}
	tool, err := env.Bridges.Tool(id)
	if err != nil {
		row.Problem = err.Error()
		return row
	}
	row.Name, row.Gives, row.Install, row.Home, row.VersionArgs = tool.Name, tool.Gives, tool.Install, tool.Home,
		tool.Version
	row.Unproven = tool.Unproven
	_, err = env.Bridges.Find("brew")
	row.Install = Installation(tool.Install, runtime.GOOS, err == nil)
	row.Verbs = core.Map(tool.ActionNames(), func(name string) string { return id + "-" + name })
	row.Path, row.Installed = env.Bridges.Locate(tool)
	return row
}

// Installation is the first of several ways to get a program that works on this system; empty where none does.
func Installation(ways, system string, brew bool) string {
	for way := range strings.SplitSeq(ways, ", or ") {
		wrong := system == "darwin" && strings.HasPrefix(way, "apt ") ||
			system != "darwin" && !brew && strings.HasPrefix(way, "brew ")
		if !wrong {
			return way
		}
	}
	return ""
}

// InstallTmux is how to get tmux.
func InstallTmux() string {
	return Installation("apt install tmux, or brew install tmux", runtime.GOOS, false)
}

// askedTogether is how many programs are asked for their versions at a time.
const askedTogether = 8

// AskVersions asks every program that is installed for its version.
func AskVersions(ctx context.Context, env *verb.Local, rows []ProgramRow) {
	var all sync.WaitGroup
	turns := make(chan struct{}, askedTogether)
	asked := 0
	for i := range rows {
		row := &rows[i]
		if !row.Installed {
			continue
		}
		if row.Kind == ToolAgent {
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
			row.SetVersion(bridge.VersionOf(ctx, row.Path, row.VersionArgs))
		})
	}
	if env.Progress != nil {
		env.Progress(core.Progress{Phase: "versions", Percent: -1, Message: "asking " + verb.Plural(asked, "program")})
	}
	all.Wait()
}

// SetVersion takes what a program answered when it was asked for its version.
func (r *ProgramRow) SetVersion(version string, err error) {
	r.Version, r.Slow = version, core.AsError(err).HasCode(core.Timeout)
	if err != nil && !r.Slow {
		r.Problem = core.AsError(err).Error()
	}
}

// ToolSection is a program in the snapshot, where none is started.
type ToolSection struct {
	_         struct{} `minimal:"tool,installed"`
	Tool      string   `json:"tool"`
	Kind      string   `json:"kind"`
	Installed bool     `json:"installed"`
	Path      string   `json:"path,omitempty"`
}

// ToolSections are the programs for the snapshot.
func ToolSections(env *verb.Local) []ToolSection {
	sections := core.Map(env.Kinds().Installables(), func(program agent.Installable) ToolSection {
		row := AgentTool(env, &program)
		return ToolSection{Tool: row.Tool, Kind: row.Kind, Installed: row.Installed, Path: row.Path}
	})
	for _, id := range env.Bridges.IDs() {
		sections = append(sections, otherSection(env, id))
	}
	return sections
}

func otherSection(env *verb.Local, id string) ToolSection {
	path, ok := env.Bridges.Installed(id)
	return ToolSection{Tool: id, Kind: ToolOther, Installed: ok, Path: path}
}

// MailSection is the program that passes mail between agents.
func MailSection(env *verb.Local) *ToolSection {
	mail := otherSection(env, "mail")
	return &mail
}

// Cell shows where a tool is, or what installs it.
func (r *ProgramRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "GIVES":
		said := r.Gives
		for _, way := range r.ShownBy {
			said += ", " + way.Said()
		}
		if r.Unproven != "" {
			said += " (unproven)"
		}
		return report.Text(said), true
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
