package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"cupola/cmd/attach"
	"cupola/cmd/look"
	"cupola/core/config"
	"cupola/core/host/bus"
	"cupola/core/verb"
	"cupola/core/verb/relays"
)

// checkSetting returns an error for a setting whose value would be refused where it is used.
func checkSetting(env *verb.Env, key string, settings *config.Config) error {
	named, err := config.KeyNamed(key)
	if err != nil {
		return err
	}
	value := settings.Value(named)
	switch key {
	case "display.theme":
		_, err = look.Schemes(env.Paths.Themes()).Find(settings.Display.Theme)
	case "engine.detach_key":
		if value != "" {
			_, err = attach.ParseKey(value)
		}
	case "engine.socket":
		if value != "" && !filepath.IsAbs(value) {
			err = fmt.Errorf("engine.socket is %q; it must be a path that begins with /", value)
		}
	case "relay.backend":
		err = relays.CheckBackend(&env.Local, settings)
	case "relay.fallback", "crew.fallback", "story.fallback":
		lists := map[string][]string{
			"relay.fallback": settings.Relay.Fallback, "crew.fallback": settings.Crew.Fallback,
			"story.fallback": settings.Story.Fallback,
		}
		err = relays.CheckBackends(&env.Local, settings, lists[key])
	case "notify.command":
		if command := settings.Notify.Command; len(command) > 0 {
			_, err = exec.LookPath(command[0])
		}
	case "notify.services", "notify.also", "notify.quiet", "notify.sessions":
		set := map[string]config.Notify{
			"notify.services": {Services: settings.Notify.Services}, "notify.also": {Also: settings.Notify.Also},
			"notify.quiet": {Quiet: settings.Notify.Quiet}, "notify.sessions": {Sessions: settings.Notify.Sessions},
		}
		if _, wrong := set[key].Options(); len(wrong) > 0 {
			err = wrong[0]
		}
	case "story.verify", "story.setup", "worktree.setup", "worktree.teardown":
		lists := map[string][]string{
			"story.verify": settings.Story.Verify, "story.setup": settings.Story.Setup,
			"worktree.setup": settings.Worktree.Setup, "worktree.teardown": settings.Worktree.Teardown,
		}
		for _, command := range lists[key] {
			if strings.TrimSpace(command) == "" {
				err = fmt.Errorf("%s has an empty command", key)
			}
		}
	case "worktree.copy", "worktree.clone", "worktree.link":
		lists := map[string][]string{
			"worktree.copy": settings.Worktree.Copy, "worktree.clone": settings.Worktree.Clone,
			"worktree.link": settings.Worktree.Link,
		}
		for _, pattern := range lists[key] {
			parts := strings.Split(strings.TrimSpace(pattern), "/")
			if slices.Contains(parts, "..") || strings.TrimSpace(pattern) == "" {
				err = fmt.Errorf("%s has the pattern %q; it must name files inside the repository", key, pattern)
			}
		}
	default:
		if strings.HasPrefix(key, "bus.") {
			err = bus.CheckSetting(key, value)
		}
	}
	return err
}
