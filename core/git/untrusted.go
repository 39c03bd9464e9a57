package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// A repository's settings and attributes can have git run programs, and they come
// with the repository. What follows keeps git from running any of them.

// settings keep a repository's own settings from running programs, from reading
// files without end, and git from giving advice. A repository that is no folder's
// .git is none: its settings would be files that came with a working tree.
func (c *Command) settings() []string {
	settings := []string{
		"-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.safecrlf=false", "-c",
		"advice.addEmbeddedRepo=false", "-c", "safe.bareRepository=explicit", "-c", "log.mailmap=false", "-c",
		"diff.orderFile=" + os.DevNull,
	}
	if !c.Programs {
		settings = append(settings, "-c", "core.hooksPath="+os.DevNull)
	}
	return settings
}

// Names of the variables whose values turn a filter off.
const (
	nothing = "CUPOLA_GIT_NOTHING"
	no      = "CUPOLA_GIT_NO"
)

// closed is the part of git's environment with which it runs nothing that the repository names. A missing object is not
// fetched, because the repository could name the program that fetches it.
var closed = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", nothing + "=", no + "=false"}

// blind are the commands that read no content of files in the working tree, so that
// no filter would run.
var blind = []string{"check-attr", "config", "log", "ls-files", "rev-parse", "symbolic-ref"}

// showing are the commands that show differences, for which a repository can name programs. A
// submodule's own files are not compared: its settings are others.
var showing = []string{"diff", "log", "show"}

// mostFilters is how many filters settings may define.
const mostFilters = 500

// readFiles are settings that name files which git reads whole.
var readFiles = []string{"core.attributesfile", "core.excludesfile", "mailmap.file"}

// filters are the names of the filters that the settings define, of the system, the
// user and the repository, in order. It returns an error where a setting names a
// file that may have no end.
func (c *Command) filters(ctx context.Context) ([]string, error) {
	if c.defined != nil {
		return *c.defined, nil
	}
	names, err := c.lookUpFilters(ctx)
	if c.once && err == nil {
		c.defined = &names
	}
	return names, err
}

func (c *Command) lookUpFilters(ctx context.Context) ([]string, error) {
	out := &bounded{limit: most}
	ask := *c
	ask.Stdin = nil
	pattern := `^(filter\..*|` + strings.ReplaceAll(strings.Join(readFiles, "|"), ".", `\.`) + `)$`
	err := ask.run(ctx, out, c.settings(), []string{"config", "-z", "--get-regexp", pattern})
	if status, is := errors.AsType[*exec.ExitError](err); is && status.ExitCode() == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if out.over {
		return nil, fmt.Errorf("git config in %s: %w", c.Dir, errTooMuch)
	}
	var names []string
	for entry := range strings.SplitSeq(out.String(), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		if slices.Contains(readFiles, key) {
			if err := ends(c.Dir, key, value); err != nil {
				return nil, err
			}
			continue
		}
		name, isFilter := strings.CutPrefix(key, "filter.")
		last := strings.LastIndexByte(name, '.')
		if !isFilter || last < 0 {
			continue
		}
		names = append(names, name[:last])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > mostFilters {
		return nil, fmt.Errorf("git config in %s: more than %d filters", c.Dir, mostFilters)
	}
	return names, nil
}

// ends returns an error if a setting names what is there and is no regular file, or a
// place that only git knows.
func ends(dir, key, value string) error {
	path, err := expanded(value)
	if err != nil {
		return fmt.Errorf("git in %s: %s names %s: %w", dir, key, value, err)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && path != os.DevNull {
		return fmt.Errorf("git in %s: %s names %s, which is no regular file", dir, key, path)
	}
	return nil
}

// expanded expands a path of git's settings, which may begin with a user's home.
func expanded(path string) (string, error) {
	if strings.HasPrefix(path, "%(") {
		return "", errors.New("where that is only git knows")
	}
	home, rest, _ := strings.Cut(path, "/")
	name, is := strings.CutPrefix(home, "~")
	if !is {
		return path, nil
	}
	if name == "" {
		dir, err := os.UserHomeDir()
		return filepath.Join(dir, rest), err
	}
	owner, err := user.Lookup(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(owner.HomeDir, rest), nil
}

// withoutFilters are settings that turn filters off. The values are in the
// environment: only so can the name of a filter hold what separates a name from its
// value.
func withoutFilters(names []string) []string {
	var settings []string
	for _, name := range names {
		key := "filter." + name
		settings = append(settings,
			"--config-env="+key+".clean="+nothing, "--config-env="+key+".smudge="+nothing,
			"--config-env="+key+".process="+nothing, "--config-env="+key+".required="+no)
	}
	return settings
}

// Filtered returns the files of paths to which a filter applies that the settings define,
// with its name. Paths are relative to Dir. It runs no filter.
func (c *Command) Filtered(ctx context.Context, paths []string) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	defined, err := c.filters(ctx)
	if err != nil || len(defined) == 0 {
		return nil, err
	}
	ask := *c
	ask.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := ask.Output(ctx, "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	under := map[string]string{}
	words := strings.Split(out, "\x00")
	for i := 0; i+2 < len(words); i += 3 {
		if filter := words[i+2]; slices.Contains(defined, filter) {
			under[words[i]] = filter
		}
	}
	return under, nil
}
