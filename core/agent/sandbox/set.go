package sandbox

import (
	"maps"
	"os/exec"
	"slices"

	"cupola/core"
	"cupola/core/system/process"
)

// Set is the sandboxes that programs of this machine can be held by.
type Set struct {
	// Settings describes them, by name, as the user's settings do.
	Settings map[string]Settings
	// Self is the path of this program, and Folder a folder of this user's for what holds a sandbox while it lasts.
	Self, Folder string
	// Hidden are folders that no sandbox shows: settings, records and sockets of Cupola's.
	Hidden []string
}

// Names returns the names of the sandboxes, sorted; none of a nil set.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(All(s.Settings)))
}

// Has reports whether there is a sandbox of a name.
func (s *Set) Has(name string) bool { return slices.Contains(s.Names(), name) }

// Installed reports whether the program is there that holds a sandbox.
func (s *Set) Installed(name string) bool {
	settings, err := Find(s.Settings, name)
	if err != nil {
		return false
	}
	_, err = exec.LookPath(programs[(&Request{Settings: settings}).By()])
	return err == nil
}

// Check returns an error if there is no sandbox of a name, or if it cannot be held here. No name is no sandbox.
func (s *Set) Check(name string) error {
	if name == "" {
		return nil
	}
	if s == nil {
		return core.Errorf(core.NotImplemented,
			"a sandbox is held by a Cupola on the machine of the pane, and there is none")
	}
	settings, err := Find(s.Settings, name)
	if err != nil {
		return err
	}
	return (&Request{Name: name, Settings: settings}).Check()
}

// Hold completes a request by its name, and returns the command line and the inherited environment with which its
// program runs in that sandbox. Without a name it returns both as the request has them.
func (s *Set) Hold(r *Request) (argv, environ []string, err error) {
	if r.Name == "" {
		return r.Argv, r.Environ, nil
	}
	if err := s.Check(r.Name); err != nil {
		return nil, nil, err
	}
	if r.Settings, err = Find(s.Settings, r.Name); err != nil {
		return nil, nil, err
	}
	r.Self, r.Own, r.Sockets = s.Self, slices.Concat(s.Hidden, r.Own), process.Listening()
	return r.Wrap(s.Folder)
}
