package registry

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"
)

// Reading is a command line as the program understands it.
type Reading struct {
	// Verb is the verb that the line runs, as it answers Input; nil if it runs none.
	Verb  *Verb
	Input any
	// OK is true if the line asks for help, or for a command that exists with an input that it takes.
	OK bool
}

// Read reads arguments as the program does, and runs nothing.
func (c *Catalog) Read(args []string) Reading {
	line, flags := c.CommandLine(args), NewGlobalFlags()
	verb := c.Find(line.Command)
	if verb == nil {
		return Reading{OK: slices.Contains(Others, line.Command) || slices.Contains(ownWords, line.Command)}
	}
	bound := verb.Bind(flags.Set)
	if err := flags.Set.Parse(line.Words[1:]); err != nil {
		return Reading{OK: errors.Is(err, pflag.ErrHelp)}
	}
	if _, err := flags.Read(line.Robot); err != nil {
		return Reading{}
	}
	_, err := line.Fill(verb, bound, flags.Set.Args())
	in := bound.Input()
	return Reading{Verb: As(verb, in), Input: in, OK: err == nil && verb.Check(in) == nil}
}
