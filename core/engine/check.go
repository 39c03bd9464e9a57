package engine

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// CheckTag returns an error for a name that is none of those that are known. A listing would not read it.
func CheckTag(name string, known []string) error {
	if !slices.Contains(known, name) {
		return fmt.Errorf("no tag %q here", name)
	}
	return nil
}

// CheckEngine returns an error if a launch names another engine than the one that shall carry it out.
func CheckEngine(launch Launch, name string) error {
	if launch.Engine != "" && launch.Engine != name {
		return fmt.Errorf("%w: engine.kind leaves only %s, not %s", ErrNoEngine, name, launch.Engine)
	}
	return nil
}

// CheckProgram returns an error if what every way of starting a program takes is not valid: the folder, the
// environment, the pane's tags.
func CheckProgram(launch Launch) error {
	if launch.Dir != "" {
		if info, err := os.Stat(launch.Dir); err != nil {
			return fmt.Errorf("working directory: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("working directory: %s is not a directory", launch.Dir)
		}
	}
	for name := range launch.Tags {
		if err := CheckTag(name, PaneTags); err != nil {
			return err
		}
	}
	for _, pair := range slices.Concat(launch.Environ, launch.Env) {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" {
			return fmt.Errorf("environment: %q is not NAME=VALUE", name)
		}
	}
	return nil
}
