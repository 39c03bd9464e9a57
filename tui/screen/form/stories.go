package form

import (
	"cmp"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/verb/registry"
	"cupola/core/verb/stories"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// mostCommands is how many commands of a plan a form shows at most.
const mostCommands = 8

// Plan is how the stories of a change would be worked on.
type Plan struct {
	// Backend works on them, with Model where one is named; Backends can be asked for instead.
	Backend, Model string
	Backends       []string
	// Stage is where: headless or panes.
	Stage string
	// Verify are the commands that prove a story, and VerifyFrom says what named them.
	Verify     []string
	VerifyFrom story.VerifyFrom
	// Branch takes the commits, in the git worktree in the folder Worktree.
	Branch, Worktree string
	// Stories and Tasks count those that are open.
	Stories, Tasks int
	Limits         story.Limits
	// Warnings are warnings to read before it starts.
	Warnings []string
}

// Run asks with which backend to work on the stories of a change, below what proves them.
func Run(w intent.PlanRun, plan *Plan) *Form {
	says := verification(plan) + "\n" + openStories(plan)
	placeholder := cmp.Or(plan.Backend, "a backend")
	if len(plan.Backends) > 0 {
		placeholder = strings.Join(plan.Backends, ", ")
	}
	return &Form{
		title: "Work on " + w.Name, verb: "next", says: says, above: true,
		fields: []field{line("Backend", placeholder, plan.Backend)},
		make: func(values []string) (intent.Intent, string) {
			w.Backend, w.Confirm = strings.TrimSpace(values[0]), true
			return w, ""
		},
	}
}

// StartRun asks whether to start a run as it is planned.
func StartRun(w intent.PlanRun, plan *Plan) *Form {
	backend := cmp.Or(plan.Backend, w.Backend)
	says := []string{verification(plan), openStories(plan)}
	who := backend
	for _, part := range []string{plan.Model, plan.Stage} {
		if part != "" {
			who += ", " + part
		}
	}
	says = append(says, "Backend: "+who)
	if plan.Branch != "" {
		says = append(says, "Branch: "+plan.Branch)
	}
	if plan.Worktree != "" {
		says = append(says, "Folder: "+plan.Worktree)
	}
	says = append(says, fmt.Sprintf("At most %d tries, %s and $%.2f.", plan.Limits.MaxIterations,
		core.ShortDuration(plan.Limits.TimeLimit), plan.Limits.BudgetUSD))
	says = append(says, plan.Warnings...)
	return &Form{
		title: "Start " + w.Name + "?", verb: "start it", says: strings.Join(says, "\n"),
		make: func([]string) (intent.Intent, string) {
			run := stories.StoryRunIn{Agent: backend, Background: true}
			run.Change, run.Repo = w.Name, registry.ReadPath(w.Dir)
			return intent.Act{Input: run, What: w.Name}, ""
		},
	}
}

// verification says which commands prove a story, and who named them.
func verification(plan *Plan) string {
	if len(plan.Verify) == 0 {
		return "No command proves a story: its ticked tasks alone would."
	}
	lines := []string{"A story is proven by these commands:"}
	if plan.VerifyFrom != "" {
		lines[0] = "A story is proven by these commands (from: " + string(plan.VerifyFrom) + "):"
	}
	for i, command := range plan.Verify {
		if i == mostCommands {
			lines = append(lines, fmt.Sprintf("  and %d more", len(plan.Verify)-i))
			break
		}
		lines = append(lines, "  $ "+screen.OneLine(command, 200))
	}
	return strings.Join(lines, "\n")
}

func openStories(plan *Plan) string {
	return fmt.Sprintf("Open: %s with %s.", counted(plan.Stories, "story", "stories"),
		counted(plan.Tasks, "task", "tasks"))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Finish asks whether to keep the commits of a run, or to make one of them.
func Finish(w intent.AskFinish) *Form {
	title, verb := "Keep the commits of "+w.ID+"?", "keep them"
	if w.Squash {
		title, verb = "Make one commit of those of "+w.ID+"?", "squash them"
	}
	return &Form{
		title: title, verb: verb, says: w.What,
		make: func([]string) (intent.Intent, string) {
			in := stories.StoryFinishIn{OfRun: stories.OfRun{Run: w.ID}, Squash: w.Squash}
			return intent.Act{Input: in, What: w.ID}, ""
		},
	}
}
