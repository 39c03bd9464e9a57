package sessions

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/system/textfile"
	"cupola/core/verb"
)

// unheld asks a person, once for ever, whether agents that ask before nothing may run without a sandbox, and warns a
// program. Panes are the panes of a preset.
func unheld(env *verb.Env, request *lifecycle.LaunchRequest, panes []recipe.Pane) error {
	kind := dangerous(env, request, panes)
	if kind == "" {
		return nil
	}
	const held = "--sandbox=project lets it change its project and nothing else"
	if env.Confirm == nil {
		env.Warn(kind + " in the mode auto asks before nothing, and no sandbox holds it; " + held)
		return nil
	}
	marker := filepath.Join(env.Paths.State, "unheld")
	if _, err := os.Stat(marker); err == nil {
		return nil
	}
	yes, err := env.Confirm(kind + " in the mode auto asks before nothing and may do whatever you may; " + held +
		".\nStart it without a sandbox, now and later?")
	if err != nil {
		return err
	}
	if !yes {
		return &core.Error{Code: core.Cancelled, Message: "nothing was started", Hint: "Add --sandbox=project."}
	}
	if err = os.MkdirAll(env.Paths.State, 0o700); err == nil {
		err = textfile.Put(marker, nil)
	}
	if err != nil {
		env.Warn("that you agreed is not on record, so you are asked again: " + err.Error())
	}
	return nil
}

// dangerous returns the name of a kind if an agent of it is to be started in a dangerous mode, without a sandbox; empty
// for none.
func dangerous(env *verb.Env, request *lifecycle.LaunchRequest, panes []recipe.Pane) string {
	kinds, options := env.Kinds(), &request.Options
	asks := func(word string, pane *recipe.Pane) string {
		kind, known := kinds.Find(word)
		if !known {
			return ""
		}
		profile := request.Profiles[cmp.Or(options.Profile, pane.Profile)]
		if profile.Kind != "" {
			if of, known := kinds.Find(profile.Kind); !known || of.ID != kind.ID {
				profile.Mode, profile.Args, profile.Sandbox = "", nil, ""
			}
		}
		argv, _ := shell.Words(pane.Command)
		argv = slices.Concat(argv, profile.Args, pane.Args, options.Args)
		mode := cmp.Or(options.Mode, pane.Mode, core.Mode(profile.Mode), kind.Launch.ModeOf(argv))
		held := cmp.Or(options.Sandbox, pane.Sandbox, profile.Sandbox)
		if !mode.Dangerous() && !kind.Launch.ModeOf(argv).Dangerous() || held != "" {
			return ""
		}
		return kind.Name
	}
	for _, count := range request.Agents {
		if name := asks(count.Kind, &recipe.Pane{}); name != "" {
			return name
		}
	}
	for i := range panes {
		if name := asks(panes[i].Kind, &panes[i]); name != "" {
			return name
		}
	}
	return ""
}
