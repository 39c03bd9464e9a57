package overview

import (
	"context"
	"strconv"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// sidebarWidth is the width of the sidebar, in cells.
const sidebarWidth = 30

type sidebarOut struct {
	dashboardOut

	inTmux bool
}

var sidebar = registry.Define(registry.Spec[verb.OnRecords, dashboardIn, sidebarOut]{
	Name: "sidebar", Of: "status --show=needs,prompts", Group: verb.GroupSee,
	Short: "Open the dashboard as a narrow pane beside the one you work in",
	Long: "Inside tmux it splits the window: the sidebar takes 30 columns at the left, shows needs and states, and " +
		"Enter goes there. Elsewhere the dashboard opens in the terminal. For a key of tmux: bind-key B split-window " +
		"-hbf -l 30 cupola.",
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true, List: "sessions",
	Examples: []string{""}, Errors: dashboardErrors,
	Run: func(ctx context.Context, deps verb.OnRecords, in dashboardIn) (sidebarOut, error) {
		shown, err := runDashboard(ctx, deps, in)
		return sidebarOut{dashboardOut: shown, inTmux: deps.Env.Getenv("TMUX") != ""}, err
	},
}).SeeAlso("status", "attention")

// Plan opens the dashboard beside the pane of the caller or, outside of tmux, in its terminal.
func (o sidebarOut) Plan() []string {
	if !o.inTmux {
		return o.dashboardOut.Plan()
	}
	return append([]string{"tmux", "split-window", "-hbf", "-l", strconv.Itoa(sidebarWidth)}, o.dashboardOut.Plan()...)
}
