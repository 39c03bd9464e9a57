package agent

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"cupola/core/config/tomlfile"
)

// keyErrors returns the errors that an error joins; one that names no key has an empty Key.
func keyErrors(err error) []*KeyError {
	if several, is := err.(interface{ Unwrap() []error }); is {
		var all []*KeyError
		for _, one := range several.Unwrap() {
			all = append(all, keyErrors(one)...)
		}
		return all
	}
	if one, is := errors.AsType[*KeyError](err); is {
		return []*KeyError{one}
	}
	return []*KeyError{{Err: err}}
}

// Inspect reads the text of one file as Load would, over the kinds that come with Cupola and the files in other folders
// but those of its name. It returns the kind, which is nil if nothing of the file can be used, and everything that is
// wrong with the file, in the order of its lines.
func Inspect(name, text string, others ...fs.FS) (*Kind, []*KeyError) {
	l := &loader{}
	for _, folder := range others {
		l.overrides = append(l.overrides, without{folder, name})
	}
	for again := true; again; {
		again = l.pass()
	}
	l.unknown = nil
	fault := l.overrideBy(source{name, text}, faultOf(name))
	if fault != nil {
		if fault.All == nil {
			fault.All = keyErrors(fault.Err)
		}
		for _, one := range fault.All {
			one.locate(text)
		}
		return nil, inLines(fault.All)
	}
	var faults []*KeyError
	for _, unknown := range l.unknown {
		faults = append(faults, keyErrors(unknown.Err)...)
	}
	return l.last, inLines(faults)
}

// locate sets Key from the error's line, if the parser reported the line of a value only.
func (e *KeyError) locate(text string) {
	if _, err := tomlfile.Parse(text, &map[string]any{}); e.Key != "" || e.Line == 0 || err != nil {
		return
	}
	for _, s := range tomlfile.Statements(text) {
		if 1+strings.Count(text[:s.From], "\n") == e.Line && !s.Header {
			e.Key = s.Name
		}
	}
}

// inLines sorts faults by their lines.
func inLines(faults []*KeyError) []*KeyError {
	slices.SortStableFunc(faults, func(a, b *KeyError) int { return a.Line - b.Line })
	return faults
}

// without is a folder without one file.
type without struct {
	fs.FS
	name string
}

// ReadDir lists the folder without the file.
func (w without) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == w.name }), err
}
