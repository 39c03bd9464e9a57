package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"cupola/core/agent"
)

// Texts are the skills and commands by which agents learn to use Cupola.
type Texts struct {
	// Name and Description describe all texts together, for kinds that have them as one.
	Name, Description string
	// Version is the version of the program that wrote them.
	Version          string
	Skills, Commands []Text
}

// Text is a skill or a command.
type Text struct {
	// Name is made of small letters and dashes.
	Name string
	// Description says in one line what a skill is for and when to read it, or what a command does.
	Description string
	// Takes shows what a command takes; empty for skills.
	Takes string
	// Body is Markdown. Arguments in it is replaced by what a command was given.
	Body string
}

// Arguments is the placeholder in a command for what its user typed behind its name.
const Arguments = "{arguments}"

// file is a text as it is installed.
type file struct {
	path string
	text func(mark string) string
	// own is true where the folder of the file holds nothing else.
	own bool
}

// files returns the files of all texts in their order, the manifest first.
func (s *skillFiles) files() []file {
	spec := &s.spec
	if !spec.Given() {
		return nil
	}
	var all []file
	if spec.Manifest != "" {
		all = append(all, file{s.below(spec.Manifest), s.texts.manifest, true})
	}
	for _, t := range s.texts.Skills {
		all = append(all, file{s.below(named(spec.Skill, t.Name)), t.skill, true})
	}
	if spec.Command == "" {
		return all
	}
	for _, t := range s.texts.Commands {
		t.Body = strings.ReplaceAll(t.Body, Arguments, spec.Arguments)
		form := t.command
		if filepath.Ext(spec.Command) == ".toml" {
			form = t.commandTOML
		}
		all = append(all, file{s.below(named(spec.Command, t.Name)), form, false})
	}
	return all
}

func named(pattern, name string) string { return strings.ReplaceAll(pattern, agent.TextName, name) }

func (t Text) skill(mark string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n# %s\n---\n\n%s", t.Name, plain(t.Description), mark, t.Body)
}

func (t Text) command(mark string) string {
	return fmt.Sprintf("---\ndescription: %s\nargument-hint: %s\n# %s\n---\n\n%s",
		plain(t.Description), plain(t.Takes), mark, t.Body)
}

func (t Text) commandTOML(mark string) string {
	prompt := "'''\n" + t.Body + "'''"
	if strings.Contains(t.Body, "'''") {
		prompt = plain(t.Body)
	}
	return fmt.Sprintf("# %s\ndescription = %s\nprompt = %s\n", mark, plain(t.Description), prompt)
}

func (t *Texts) manifest(mark string) string {
	version := t.Version
	if !semver.MatchString(version) {
		version = "0.0.0"
	}
	return fmt.Sprintf("{\n  \"name\": %s,\n  \"description\": %s,\n  \"version\": %s,\n"+
		"  \"author\": {\"name\": \"Cupola\"},\n  \"keywords\": [%s]\n}\n",
		plain(t.Name), plain(t.Description), plain(version), plain(mark))
}

var semver = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// plain writes a text as a string of JSON, which is also one of YAML and TOML.
func plain(text string) string {
	text, _ = encode(text, "", "") // a string always has one
	return text
}

// mark describes an installed text, by the marks in it.
type mark struct {
	version string
	// folders is how many of the folders above the file were made for it and others of ours.
	folders int
	// intact is true if the text is as it was installed.
	intact bool
}

var (
	markForm = regexp.MustCompile(`Installed by Cupola (\S+), folders (\d), sum ([0-9a-f]{16})`)
	noSum    = strings.Repeat("0", 16)
)

// mostFolders is how many folders a mark can count.
const mostFolders = 9

// version returns the version of the texts as one word; "unknown" for none.
func (s *skillFiles) version() string {
	if version := strings.Join(strings.Fields(s.texts.Version), "-"); version != "" {
		return version
	}
	return "unknown"
}

// marked writes a text with its mark.
func (s *skillFiles) marked(f file, folders int) string {
	head := fmt.Sprintf("Installed by Cupola %s, folders %d, sum ", s.version(), min(folders, mostFolders))
	text := f.text(head + noSum)
	return strings.Replace(text, head+noSum, head+s.sumOf(f.path, text), 1)
}

// markOf reads the mark of a text; it is not ok where there is none.
func (s *skillFiles) markOf(path, text string) (m mark, ok bool) {
	at := markForm.FindStringSubmatchIndex(text)
	if at == nil {
		return mark{}, false
	}
	folders, err := strconv.Atoi(text[at[4]:at[5]])
	if err != nil {
		return mark{}, false
	}
	bare := text[:at[6]] + noSum + text[at[7]:]
	return mark{version: text[at[2]:at[3]], folders: folders, intact: s.sumOf(path, bare) == text[at[6]:at[7]]}, true
}

// sumOf is the sum of a text whose mark has none yet, at its path: that of a copy differs.
func (s *skillFiles) sumOf(path, text string) string {
	sum := sha256.Sum256([]byte(strings.TrimPrefix(path, s.folder) + "\n" + text))
	return hex.EncodeToString(sum[:len(noSum)/2])
}
