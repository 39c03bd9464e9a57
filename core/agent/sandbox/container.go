package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// container returns the command line of podman or docker up to the program. The container sees its image, and of this
// machine what the view reads and writes. Copies are files in the doorway.
func (r *Request) container(v *View, program, doorway string) []string {
	argv := []string{
		program, "run", "--rm", "--interactive", "--init", "--name", containerName(doorway), "--read-only",
		"--cap-drop=ALL", "--security-opt=no-new-privileges", "--ipc=private", "--tmpfs=/tmp", "--tmpfs=/run",
	}
	if r.Terminal {
		argv = append(argv, "--tty")
	}
	if program == Podman {
		argv = append(argv, "--userns=keep-id")
	}
	if r.Settings.Network != NetworkAll {
		argv = append(argv, "--network=none")
	}
	copied := 0
	for i := range v.Access {
		a := &v.Access[i]
		if !a.ours(v, r.home()) {
			continue
		}
		switch a.How {
		case Hidden:
			argv = append(argv, "--tmpfs="+a.Path+":mode=0700")
		case Barred:
			argv = append(argv, "--volume=/dev/null:"+a.Path+":ro")
		case Reads:
			argv = append(argv, "--volume="+a.from()+":"+a.Path+":ro")
		case Writes:
			argv = append(argv, "--volume="+a.from()+":"+a.Path)
		case Copied:
			argv = append(argv, "--volume="+copyPath(doorway, copied)+":"+a.Path)
			copied++
		}
	}
	argv = append(argv, "--volume="+doorway+":"+Doorway+":ro", "--workdir="+v.Dir)
	for _, name := range r.names() { // without values, which are taken from the environment
		argv = append(argv, "--env="+name)
	}
	return append(argv, "--env=TMPDIR=/tmp", "--entrypoint=", r.Settings.Image)
}

// ours reports whether a path is of the user and their project, and no part of the system that an image has itself.
func (a *Access) ours(v *View, home string) bool {
	return within(home, a.Path) || within(v.Root, a.Path) || a.How == Writes || a.How == Copied ||
		a.How == Reads && !within("/etc", a.Path) && v.Of(filepath.Dir(a.Path)) == Hidden
}

// names returns the names of the variables that the program gets, sorted.
func (r *Request) names() []string {
	var names []string
	for _, pair := range slices.Concat(r.Inherited(), r.Given) {
		if name, _, _ := strings.Cut(pair, "="); name != "PATH" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func containerName(doorway string) string { return "cupola-" + strings.ToLower(filepath.Base(doorway)) }

// devcontainer returns the command line that runs a program in the container that a project describes. It must be up.
func devcontainer(root string) []string {
	return []string{"devcontainer", "exec", "--workspace-folder", root}
}
