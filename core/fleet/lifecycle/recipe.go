package lifecycle

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/system/shell"
)

// holdsUser reports whether a recipe has a shell for the user.
func holdsUser(panes []recipe.Pane) bool {
	return slices.ContainsFunc(panes, func(p recipe.Pane) bool { return p.User() })
}

// addRecipe appends the panes of a request's recipe. Everything is checked that
// can be before anything is made.
func (n *planner) addRecipe(p *plan, request *LaunchRequest, taken map[string]bool) error {
	ordinals := map[int]bool{}
	for i := range p.units {
		ordinals[p.units[i].ordinal] = true
	}
	for i := range request.Panes {
		pane := &request.Panes[i]
		if pane.Ordinal != nil {
			if ordinals[*pane.Ordinal] {
				return core.Errorf(core.InvalidInput, "ordinal %d is wanted for two panes", *pane.Ordinal)
			}
			ordinals[*pane.Ordinal] = true
			p.next = max(p.next, *pane.Ordinal+1)
		}
		if pane.Name != "" && taken[pane.Name] {
			return core.Errorf(core.InvalidInput, "the name %q is taken by another pane", pane.Name)
		}
		taken[pane.Name] = true
	}
	for i := range request.Panes {
		for range max(1, request.Panes[i].Count) {
			u, err := n.recipeUnit(p, &request.Panes[i], request.Resume)
			if err != nil {
				return err
			}
			p.number(&u, request.Panes[i].Ordinal, ordinals)
			if u.name == "" && u.role == panetag.RoleAgent {
				u.name = observe.FreeName(u.known.Short, taken)
			}
			p.units = append(p.units, u)
		}
	}
	return nil
}

// number gives a unit its ordinal: the one wanted, 0 for the first shell of a new
// session, or the next.
func (p *plan) number(u *unit, wanted *int, ordinals map[int]bool) {
	switch {
	case wanted != nil:
		u.ordinal = *wanted
	case u.role == panetag.RoleUser && p.into == "" && !ordinals[0]:
		ordinals[0] = true
	default:
		u.ordinal = p.next
		p.next++
	}
}

// sharing is the first unit in whose window the i-th is made; i itself where it
// gets one of its own.
func (p *plan) sharing(i int) int {
	if p.layout == Tiled {
		return 0
	}
	if word := p.units[i].shared; word != "" {
		return slices.IndexFunc(p.units, func(u unit) bool { return u.shared == word })
	}
	return i
}

func (n *planner) recipeUnit(p *plan, pane *recipe.Pane, resume bool) (unit, error) {
	u := unit{
		role: panetag.RoleUser, name: pane.Name, shared: pane.Window, word: pane.Label, asked: pane.Environment,
		layout: pane.Layout, shown: pane.Shown,
	}
	u.options = AgentOptions{
		Mode: pane.Mode, Args: pane.Args, Profile: pane.Profile, Sandbox: pane.Sandbox, OnLimit: pane.OnLimit,
	}
	var err error
	if u.dir, err = recipeDir(p.dir, pane.Dir); err != nil {
		return unit{}, err
	}
	if pane.User() {
		u.name = ""
		return u, nil
	}
	u.role = panetag.RoleAgent
	word := cmp.Or(pane.Kind, string(core.KindCommand))
	if u.known, err = n.resolver.KindNamed(word); err != nil {
		return unit{}, err
	}
	u.kind, u.variant = u.known.ID, pane.Model
	if u.argv, err = n.recipeArgv(&u, pane); err != nil {
		return unit{}, err
	}
	switch {
	case pane.Fork:
		u.choose = u.known.Launch.ForkArgs(pane.Resume)
	case resume && pane.Resume != "":
		if u.choose = u.known.Launch.ResumeArgs(pane.Resume); len(u.choose) > 0 {
			u.session, u.resume = pane.Resume, true
		}
	}
	return u, nil
}

func (n *planner) recipeArgv(u *unit, pane *recipe.Pane) ([]string, error) {
	switch {
	case u.kind == core.KindCommand && strings.TrimSpace(pane.Command) == "":
		return nil, core.Errorf(core.InvalidInput, "a pane of kind command needs a command")
	case u.kind == core.KindCommand:
		return []string{n.environ.shell(), "-c", pane.Command}, nil
	case pane.Command == "":
		_, argv, err := n.checkCount(AgentCount{Kind: pane.Kind, Count: 1, Model: pane.Model}, nil)
		return argv, err
	}
	argv, err := shell.Words(pane.Command)
	if err != nil {
		return nil, core.Errorf(core.InvalidInput, "the command %q: %w", pane.Command, err)
	}
	if len(argv) == 0 {
		return nil, core.Errorf(core.InvalidInput, "a pane of kind %s has a blank command", pane.Kind)
	}
	return argv, nil
}

// recipeDir is the folder of a pane, from that of its session.
func recipeDir(base, dir string) (string, error) {
	switch {
	case dir == "":
		return base, nil
	case !filepath.IsAbs(dir):
		dir = filepath.Join(base, dir)
	}
	return folder(dir)
}
