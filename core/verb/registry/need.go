package registry

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// commands is the word of the tag raises for what needs the switch of that name.
const commands = "commands"

// raisesOf reads the tag raises.
func raisesOf(tag string) map[string]string {
	if tag == "" {
		return nil
	}
	raises := map[string]string{}
	for part := range strings.SplitSeq(tag, ",") {
		value, needs, named := strings.Cut(part, "=")
		if !named {
			value, needs = "true", part
		}
		if needs != commands && !slices.Contains(Effects(), Effect(needs)) {
			panic("registry: bad tag raises: " + tag)
		}
		raises[value] = needs
	}
	return raises
}

// Shower is an input that may ask to be shown something only, by a verb that acts otherwise.
type Shower interface{ OnlyShows() bool }

// OnlyShows reports whether a call changes nothing, since its input asks for that: a dry run, or a look.
func OnlyShows(v *Verb, in any) bool {
	if own, is := in.(Shower); is && own.OnlyShows() {
		return true
	}
	dry := reflect.ValueOf(in).FieldByName("DryRun")
	return embeds[Preview](v) && dry.IsValid() && dry.Bool()
}

// Need is the permission that a call needs.
type Need struct {
	// Effect is the effect of the call, and Level the level that its caller needs, which may be higher.
	Effect, Level Effect
	// Commands is true for a program of the caller's choice, and for a path outside the project.
	Commands bool
	// Raised says which input needs a higher level than the verb, as "--output writes a path", and Commanded which one
	// needs Commands.
	Raised, Commanded string
}

func (n *Need) raise(level Effect, why string) {
	if !level.Within(n.Effect) {
		n.Effect = level
	}
	if !level.Within(n.Level) {
		n.Level, n.Raised = level, why
	}
}

func (n *Need) command(why string) {
	if !n.Commands {
		n.Commands, n.Commanded = true, why
	}
}

// NeedOf derives what a call needs from its verb and its whole input. Inside reports whether a path is in the project
// of the caller.
func NeedOf(v *Verb, in any, inside func(path string) bool) Need {
	need := Need{Effect: v.Effect, Level: v.Level}
	shows := OnlyShows(v, in)
	if shows {
		need.Effect, need.Level = Reads, Reads
	}
	acts := need.Effect != Reads
	if v.Programs {
		need.command(v.Name + " runs a program of the caller's choice")
	}
	value := reflect.ValueOf(in)
	for _, field := range v.Fields() {
		target := value.FieldByIndex(field.index)
		if v.isDefault(field, target) || target.IsZero() {
			continue
		}
		given := givenTexts(target)
		for _, text := range parts(given) {
			switch raised := field.raises[text]; {
			case raised == commands && acts:
				need.command(field.shown() + " reaches programs of the caller's choice")
			case raised != "" && raised != commands && !shows:
				need.raise(Effect(raised), field.shown()+"="+text+" "+raised)
			}
		}
		need.names(field, given, shows, inside)
	}
	return need
}

// parts are values with those that are joined to one by a plus sign.
func parts(given []string) []string {
	all := slices.Clone(given)
	for _, text := range given {
		if strings.Contains(text, "+") {
			all = append(all, strings.Split(text, "+")...)
		}
	}
	return all
}

// givenTexts are the values of an input as they would be typed.
func givenTexts(target reflect.Value) []string {
	if target.Kind() == reflect.Slice {
		return listOf(target)
	}
	return []string{typed(target)}
}

// names adds what the values of an input need by what they name.
func (n *Need) names(field *Field, given []string, shows bool, inside func(string) bool) {
	shown := field.shown()
	for _, text := range given {
		switch means := field.Means; {
		case text == "-" && field.Arg == 0:
		case means == MeansReadPath:
			n.path(shown+" reads a path", text, inside)
		case means == MeansWritePath:
			n.path(shown+" writes a path", text, inside)
		case means == MeansTextOrFile && isFile(text):
			n.path(shown+" reads a path", text, inside)
		case means == MeansProgram && !shows:
			n.raise(Writes, shown+" runs a program")
			n.command(shown + " runs a program of the caller's choice")
		case means == MeansScript, means == MeansNamedScript && ofFile(text):
			n.raise(Writes, shown+" carries out a file")
			n.command(shown + " carries out a file of the caller's choice")
		case means == MeansRepository:
			n.raise(Writes, shown+" clones")
			n.command(shown + " clones from a place of the caller's choice")
		}
	}
}

// path adds what a path needs.
func (n *Need) path(why, path string, inside func(string) bool) {
	n.raise(Writes, why)
	if !inside(path) {
		n.command(why + " outside the project")
	}
}

// isFile reports whether a text is the name of something that exists.
func isFile(text string) bool {
	_, err := os.Lstat(text)
	return err == nil
}

// Inside reports whether a path is in a project: below its folder when all links are followed, and not among the
// files of git, whose hooks are programs. A path that cannot be followed is outside, and so are one with "..", which
// leads to another place behind a link, and every path of no project. Relative paths begin at dir.
func Inside(project, dir, path string) bool {
	if project == "" || strings.HasPrefix(path, "~") || slices.Contains(strings.Split(path, "/"), "..") {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	top, err := filepath.EvalSymlinks(project)
	if err != nil {
		return false
	}
	target, ok := followed(filepath.Clean(path))
	if !ok {
		return false
	}
	below, err := filepath.Rel(top, target)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator)) &&
		!slices.ContainsFunc(strings.Split(below, string(filepath.Separator)),
			func(part string) bool { return strings.EqualFold(part, ".git") })
}

// followed is an absolute path without links. What does not exist yet is below the last folder that does.
func followed(path string) (string, bool) {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		return target, true
	}
	// A link whose target does not exist would be written through.
	if _, err := os.Lstat(path); err == nil || path == filepath.Dir(path) {
		return "", false
	}
	above, ok := followed(filepath.Dir(path))
	return filepath.Join(above, filepath.Base(path)), ok
}

// ProjectAt is the folder of the project that a folder belongs to: the top of its git working tree, or the folder
// itself. As git does, it looks into none of GIT_CEILING_DIRECTORIES. The home folder, what is above it and the root
// are no projects; they give an empty text.
func ProjectAt(dir string, getenv func(string) string) string {
	top, home := dir, getenv("HOME")
	ceilings := filepath.SplitList(getenv("GIT_CEILING_DIRECTORIES"))
	for at := dir; at == dir || !slices.Contains(ceilings, at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			top = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if top == filepath.Dir(top) || home == "" || Inside(top, dir, home) {
		return ""
	}
	return top
}
