package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/config/recipe"
	"cupola/core/text/near"
)

// configureAgents adds to the command lines and environments of agents what the request, their preset and their profile
// say.
func (n *planner) configureAgents(p *plan, request *LaunchRequest) error {
	used := false
	for i := range p.units {
		u := &p.units[i]
		if u.kind != "" {
			u.options.Sandbox = cmp.Or(request.Options.Sandbox, u.options.Sandbox)
			u.options.OnLimit = cmp.Or(request.Options.OnLimit, u.options.OnLimit, request.OnLimit)
		}
		if !u.kind.IsAgent() || u.asked.Environ != nil {
			continue // a record has its whole command line and environment
		}
		options := request.Options.over(u.options)
		var profile config.Profile
		if options.Profile != "" {
			var of *agent.Kind
			var err error
			if profile, of, err = n.profile(request.Profiles, options.Profile); err != nil {
				return err
			}
			if of.ID != screenKind(u.known) && u.options.Profile == "" {
				options.Profile = ""
				profile = config.Profile{}
			} else if of.ID != screenKind(u.known) {
				return profileError(options.Profile, of)
			}
			used = used || of.ID == u.kind
		}
		if err := u.configure(options, &profile, n.environ.variable("HOME")); err != nil {
			return err
		}
	}
	if request.Options.Profile != "" && !used {
		_, of, err := n.profile(request.Profiles, request.Options.Profile)
		if err != nil {
			return err
		}
		return profileError(request.Options.Profile, of)
	}
	return nil
}

func profileError(name string, of *agent.Kind) error {
	return core.Errorf(core.InvalidInput, "the profile %s is for %s, and no agent of that kind is started with it",
		name, of.Name)
}

// profile returns a profile with its kind.
func (n *planner) profile(known map[string]config.Profile, name string) (config.Profile, *agent.Kind, error) {
	profile, is := known[name]
	if !is {
		names := slices.Sorted(maps.Keys(known))
		err := core.Errorf(core.InvalidInput, "no profile is named %q", name)
		err.Suggestions, err.Slip.Word = near.Words(name, names), name
		err.Hint = "A profile is a section [profile.NAME] of the settings."
		if len(names) > 0 {
			err.Hint = "There are: " + strings.Join(names, ", ") + "."
		}
		return profile, nil, err
	}
	kind, err := n.resolver.KindNamed(profile.Kind)
	return profile, kind, err
}

// configure applies options to an agent, over those of its profile.
func (u *unit) configure(options AgentOptions, profile *config.Profile, home string) error {
	options = options.over(AgentOptions{
		Model: profile.Model, Mode: core.Mode(profile.Mode), Args: profile.Args,
		Sandbox: profile.Sandbox,
	})
	if options.Model != "" && u.variant == "" {
		args := u.known.Launch.ModelArgs(options.Model)
		if len(args) == 0 {
			return core.Errorf(core.InvalidInput, "agents of kind %s take no model", u.kind)
		}
		u.argv, u.variant = slices.Concat(u.argv, args), options.Model
	}
	if options.Mode != "" {
		args, err := u.known.Launch.ModeArgs(u.known.Name, options.Mode)
		if err != nil {
			return err
		}
		u.argv = slices.Concat(u.argv, args)
	}
	u.argv = slices.Concat(u.argv, options.Args)
	u.options = options
	env := recipe.Environment{Env: slices.Clone(profile.Env)}
	if profile.EnvFile != "" {
		env.EnvFile = []string{inHome(home, profile.EnvFile)}
	}
	if profile.Home != "" {
		name := agent.NativeOf(u.known.ID).Home.Variable
		if name == "" {
			return core.Errorf(core.InvalidInput, "%s has no variable that names the folder of its account",
				u.known.Name)
		}
		env.Env = append(env.Env, name+"="+inHome(home, profile.Home))
	}
	if err := recipe.CheckEnv(env.Env); err != nil {
		return fmt.Errorf("profile %s: %w", options.Profile, err)
	}
	// What a preset says of the pane wins over the profile.
	u.asked.Env, u.asked.EnvFile = append(env.Env, u.asked.Env...), append(env.EnvFile, u.asked.EnvFile...)
	return nil
}

// inHome returns a path with ~ as the user's home.
func inHome(home, path string) string {
	if below, is := strings.CutPrefix(path, "~/"); is {
		return filepath.Join(home, below)
	}
	return path
}
