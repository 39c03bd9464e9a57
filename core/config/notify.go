package config

import (
	"path"
	"path/filepath"

	"cupola/core"
	"cupola/core/alert/notify"
)

// Notified is where the processes of a user record what they have notified of.
func Notified(p Paths) string { return filepath.Join(p.State, "notified") }

// Typed is a file with the time of the last key in a dashboard.
func Typed(p Paths) string { return filepath.Join(p.State, "typed") }

// Options returns the settings as options of a notifier, and what is wrong with them. What is wrong is left out.
func (n Notify) Options() (notify.Options, []error) {
	opts := notify.Options{
		Desktop: n.Desktop, Command: n.Command, Least: core.Severity(n.Severity), Every: n.Every, Also: n.Also,
		Sessions: n.Sessions, Again: n.Again, Turns: n.Turns,
	}
	var wrong []error
	for _, text := range n.Services {
		service, err := notify.ParseService(text)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		opts.Services = append(opts.Services, service)
	}
	quiet, err := notify.ParseWindow(n.Quiet)
	if err != nil {
		wrong = append(wrong, err)
	}
	opts.Quiet = quiet
	for _, word := range n.Also {
		if !notify.KnowsType(word) {
			e := core.Errorf(core.InvalidInput, "no type and no group of alerts: %q", core.Cut(word))
			e.Hint = "notify.also takes the types of alerts, and their groups: waiting, error, limit, resource."
			wrong = append(wrong, e)
		}
	}
	for _, pattern := range n.Sessions {
		if _, err := path.Match(pattern, ""); err != nil {
			wrong = append(wrong, &core.Error{
				Code: core.InvalidInput, Message: "no pattern of sessions: " + core.Cut(pattern),
				Hint: "For example: api*.",
			})
		}
	}
	return opts, wrong
}
