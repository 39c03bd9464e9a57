// Package look chooses the colours and signs that people see, from the settings, the environment and the terminal.
package look

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"

	"cupola/core/system/plainfile"
	"cupola/core/verb"
	"cupola/theme"
)

// Look chooses for one terminal.
type Look struct {
	// Env has the settings.
	Env           *verb.Env
	Getenv        func(string) string
	Stdin, Stdout *os.File
	// Accessible draws for screen readers even if the settings do not say so.
	Accessible bool
	// Robotic is true where programs read: no terminal is asked.
	Robotic bool
	// Fault is the fault of the theme in the settings; empty for none, and before Options.
	Fault string

	// background is the terminal's report of its background.
	background struct {
		once         sync.Once
		light, known bool
	}
}

// Terminal reports whether a file is a terminal.
func Terminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// Options returns the options of the theme for people on the terminal. The setting decides, then the environment,
// then the terminal, which is asked once. Dashboard is true for one that ignores an answer that comes too late;
// without a dashboard the shell would read that as keys, so that nothing is asked over a slow line.
func (l *Look) Options(colour, dashboard bool) theme.Options {
	options := theme.Detect(colour, l.Getenv)
	display := &l.Env.Settings().Display
	chosen := display.Background
	var err error
	if options.Scheme, err = l.Schemes().Find(display.Theme); err != nil {
		l.Fault = err.Error() + "; the usual colours are used"
	}
	options.ASCII = display.Glyphs == "ascii" || options.ASCII && display.Glyphs == "auto"
	options.Nerd, options.Accessible = display.Glyphs == "nerd", l.Readable()
	if options.Level == theme.None {
		if dashboard && l.Getenv("TERM") != "dumb" {
			options.Level = theme.Plain // bold and reverse are no colours
		}
		return options
	}
	switch {
	case chosen == "dark" || chosen == "light":
		options.Light = chosen == "light"
	case l.Getenv("COLORFGBG") != "" || !dashboard && l.Getenv("SSH_CONNECTION") != "":
	case !l.Robotic && Terminal(l.Stdin) && Terminal(l.Stdout):
		terminal := &l.background
		terminal.once.Do(func() { terminal.light, terminal.known = background(l.Stdin, l.Stdout) })
		if terminal.known {
			options.Light = terminal.light
		}
	}
	return options
}

// Readable reports whether what is drawn is read by a screen reader: the command line, the setting or ACCESSIBLE, which
// other programs know too, says so.
func (l *Look) Readable() bool {
	return l.Accessible || l.Env.Settings().Display.Accessible || l.Getenv("ACCESSIBLE") != ""
}

// Schemes are the themes that there are for the user.
func (l *Look) Schemes() Schemes { return Schemes(l.Env.Paths.Themes()) }

// Schemes is the folder with the user's own themes; others come with the program.
type Schemes string

// Find returns the colours with a name: those of the user's own file, else those that come with the program.
func (s Schemes) Find(name string) (*theme.Scheme, error) {
	file := filepath.Join(string(s), filepath.Base(name)+".toml")
	if text, err := plainfile.Read(file, plainfile.Record); err == nil {
		return theme.ParseScheme(name, string(text))
	}
	scheme, known := theme.FindScheme(name)
	if !known {
		return nil, fmt.Errorf("there is no theme %q; there are %s", name, strings.Join(s.Names(), ", "))
	}
	return scheme, nil
}

// Names are the themes that come with the program, and then the user's own.
func (s Schemes) Names() []string {
	names := theme.SchemeNames()
	files, err := os.ReadDir(string(s))
	if err != nil {
		return names
	}
	for _, file := range files {
		if name, is := strings.CutSuffix(file.Name(), ".toml"); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
