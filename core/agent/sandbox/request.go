package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/git"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
)

// Request is a program to hold.
type Request struct {
	// Name is the sandbox's name, and Settings what it says.
	Name     string
	Settings Settings
	// Kind is the kind of the agent; nil for another program.
	Kind *agent.Kind
	// Dir is its working folder, and Argv its command line.
	Dir  string
	Argv []string
	// Before are words of this program that are put before Argv inside; none for none.
	Before []string
	// Environ is the environment that it inherits, and Given what it is given besides, as NAME=VALUE.
	Environ, Given []string
	// Terminal is true if it has a terminal.
	Terminal bool
	// Self is the path of this program.
	Self string
	// Own are folders and sockets of Cupola's and of its terminal servers, which no sandbox sees.
	Own []string
	// Sockets are paths of sockets on which processes listen.
	Sockets []string
	// Sees are files of Cupola's that the program reads.
	Sees []string
}

func (r *Request) variable(name string) string {
	return cmp.Or(process.Variable(r.Given, name), process.Variable(r.Environ, name))
}

// home returns the user's home without symbolic links.
func (r *Request) home() string { return resolved(cmp.Or(r.variable("HOME"), "/")) }

// expand returns a path of the settings or of a kind: ~/ is the user's home, {home}/ the folder of the agent, and other
// relative paths begin at the project.
func (r *Request) expand(root, path string) string {
	if below, is := strings.CutPrefix(path, "~/"); is {
		return filepath.Join(r.home(), below)
	}
	if below, is := strings.CutPrefix(path, "{home}/"); is && r.Kind != nil {
		if folder := agent.HomeOf(r.Kind.ID, r.variable); folder != "" {
			return filepath.Join(resolved(folder), below)
		}
		return ""
	}
	return beside(root, path)
}

// alwaysHidden are folders of the system with files and sockets of others.
var alwaysHidden = []string{
	"/home", string(filepath.Separator) + "root", "/Users", "/tmp", "/var/tmp", "/run", "/mnt", "/media",
	"/var/lib/docker", "/var/spool",
}

// toolFolders are folders of the user's home in which programs are installed.
var toolFolders = []string{
	".local/bin", ".nvm", ".volta", ".bun", ".deno/bin", ".cargo/bin", ".rustup", ".asdf", ".local/share/mise",
	".pyenv", ".local/share/pnpm", ".npm-global", ".local/share/claude", ".local/share/uv", "go/bin", ".gitconfig",
	".config/git", ".nix-profile",
}

// guarded are folders and files of a project from which programs outside take what they run. Folders have a / at their
// end; one that is not there is kept from being made.
var guarded = []string{".vscode/", ".idea/", ".devcontainer/", ".envrc", ".cupola.toml", ".mise.toml", "mise.toml"}

// View returns what the program sees. It makes folders that the sandbox needs.
func (r *Request) View() (*View, error) {
	dir := resolved(r.Dir)
	v := &View{Dir: dir, Root: cmp.Or(git.Above(dir), dir)}
	home := r.home()
	if within(v.Root, home) || slices.Contains(alwaysHidden, v.Root) || v.Root == "/" {
		err := core.Errorf(core.InvalidInput,
			"a sandbox lets an agent change its project, and %s is no folder for that", v.Root)
		err.Hint = "Start it in the folder of a project."
		return nil, err
	}
	for _, folder := range append([]string{home}, alwaysHidden...) {
		if plainfile.IsFolder(folder) && resolved(folder) == folder {
			v.add(Hidden, folder)
		}
	}
	if link := filepath.Clean(r.variable("HOME")); link != home && v.Of(link) == Hidden {
		v.set(Access{Path: link, How: Linked, From: home})
	}
	if names := resolved("/etc/resolv.conf"); v.Of(names) == Hidden {
		v.add(Reads, names)
	}
	r.addTools(v)
	v.add(Writes, v.Root)
	if err := repositoryOf(v.Root).addTo(v); err != nil {
		return nil, core.Errorf(core.IOError, "the sandbox of %s: %w", v.Root, err)
	}
	if err := r.addAgent(v); err != nil {
		return nil, err
	}
	if err := r.addSettings(v); err != nil {
		return nil, err
	}
	for _, path := range r.Own {
		if plainfile.IsFolder(path) {
			v.add(Hidden, resolved(path))
		}
	}
	v.add(Reads, resolved(r.Self))
	for _, path := range r.Sees {
		v.add(Reads, resolved(path))
	}
	for _, socket := range r.Sockets {
		info, err := os.Lstat(socket)
		if err == nil && info.Mode()&os.ModeSocket != 0 && v.Of(resolved(socket)) != Hidden {
			v.add(Barred, resolved(socket))
		}
	}
	return v, nil
}

// addTools shows the folders of programs that would be hidden otherwise: the search path, and the program's own.
func (r *Request) addTools(v *View) {
	show := func(path string) {
		if path = resolved(path); exists(path) && v.Of(path) == Hidden && !within(path, r.home()) {
			v.add(Reads, path)
		}
	}
	for _, folder := range toolFolders {
		show(filepath.Join(r.home(), folder))
	}
	var program string
	for _, folder := range filepath.SplitList(r.variable("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if at := filepath.Join(folder, r.Argv[0]); program == "" && exists(at) {
			program = at
		}
		whole, isBin := filepath.Dir(folder), strings.TrimPrefix(filepath.Base(folder), ".") == "bin"
		if isBin && filepath.Base(whole) != ".local" {
			show(whole)
		}
		show(folder)
	}
	if strings.Contains(r.Argv[0], "/") {
		program = r.Argv[0]
	}
	if program == "" {
		return
	}
	target := resolved(program)
	if folder, _, is := strings.Cut(target, "/node_modules/"); is {
		target = folder + "/node_modules"
	}
	show(filepath.Dir(program))
	show(target)
}

// addAgent shows the agent its own folder: of what its kind names it may change some, has some anew, and sees the rest.
func (r *Request) addAgent(v *View) error {
	guards := guarded
	if r.Kind != nil {
		needs := &r.Kind.Sandbox
		if folder := agent.HomeOf(r.Kind.ID, r.variable); folder != "" {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return core.Errorf(core.IOError, "the agent's folder: %w", err)
			}
			v.addOwn(resolved(folder), needs.Fresh)
			for _, named := range needs.Writes { // with all that is in them
				if path := filepath.Clean(r.expand(v.Root, named)); within(resolved(folder), path) {
					v.Access = slices.DeleteFunc(v.Access, func(a Access) bool { return within(path, a.Path) })
				}
			}
		}
		for _, part := range []struct {
			how   How
			paths []string
		}{{Writes, needs.Writes}, {Copied, needs.Copies}, {Reads, needs.Reads}} {
			if err := r.addEach(v, part.how, part.paths); err != nil {
				return err
			}
		}
		guards = slices.Concat(guards, needs.Guards)
	}
	for _, name := range guards {
		path := filepath.Join(v.Root, name)
		if strings.HasSuffix(name, "/") && !exists(path) && plainfile.IsFolder(filepath.Dir(path)) {
			if err := os.Mkdir(path, 0o755); err != nil {
				return core.Errorf(core.IOError, "%w", err)
			}
			v.Made = append(v.Made, path)
		}
		if exists(path) && resolved(path) == path {
			v.add(Reads, path)
		}
	}
	return nil
}

// addOwn shows what is in the folder of an agent but for what is fresh. What the agent makes beside it ends with the
// sandbox.
func (v *View) addOwn(folder string, fresh []string) {
	v.add(Hidden, folder)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name := entry.Name()
		isFresh := slices.ContainsFunc(fresh, func(pattern string) bool {
			is, err := filepath.Match(pattern, name)
			return is && err == nil
		})
		path := filepath.Join(folder, name)
		kind := entry.Type()
		if target := resolved(path); kind&os.ModeSymlink != 0 && target != path {
			v.set(Access{Path: path, How: Reads, From: target})
		} else if !isFresh && (kind.IsRegular() || kind.IsDir()) {
			v.add(Reads, path)
		}
	}
}

// addEach adds paths of the settings or of a kind. Folders with a / at their end are made; other paths that are not
// there are left out.
func (r *Request) addEach(v *View, how How, paths []string) error {
	for _, named := range paths {
		path := r.expand(v.Root, named)
		if path == "" {
			continue
		}
		if strings.HasSuffix(named, "/") && how != Hidden && !exists(path) {
			if err := os.MkdirAll(path, 0o700); err != nil {
				return core.Errorf(core.IOError, "the sandbox %s: %w", r.Name, err)
			}
		}
		switch target := resolved(path); {
		case filepath.Base(path) == "*" && how == Reads:
			if folder := resolved(filepath.Dir(path)); plainfile.IsFolder(folder) {
				v.addOwn(folder, nil)
			}
		case !exists(path):
		case target != path:
			v.set(Access{Path: path, How: how, From: target})
		default:
			v.add(how, path)
		}
	}
	return nil
}

func (r *Request) addSettings(v *View) error {
	s := &r.Settings
	for _, part := range []struct {
		how   How
		paths []string
	}{{Reads, s.Reads}, {Writes, s.Writes}, {Hidden, s.Hides}} {
		if err := r.addEach(v, part.how, part.paths); err != nil {
			return err
		}
	}
	store := filepath.Join(cmp.Or(r.variable("XDG_CACHE_HOME"), filepath.Join(r.home(), ".cache")), "cupola", "sandbox",
		r.Name)
	for _, named := range s.Caches {
		path := r.expand(v.Root, named)
		own := filepath.Join(store, strings.ReplaceAll(strings.Trim(named, "~/"), "/", "_"))
		if err := os.MkdirAll(own, 0o700); err != nil {
			return core.Errorf(core.IOError, "the caches of sandbox %s: %w", r.Name, err)
		}
		v.set(Access{Path: path, How: Writes, From: resolved(own)})
	}
	return nil
}

// By returns the program that holds the sandbox.
func (r *Request) By() string {
	if r.Settings.By == "" && runtime.GOOS == "darwin" {
		return SandboxExec
	}
	return cmp.Or(r.Settings.By, Bubblewrap)
}
