package registry

import (
	"reflect"
	"slices"
	"strings"

	"cupola/core"
)

// The types of inputs that reach beyond Cupola. What a call needs of its caller follows from them (NeedOf). A "-" names
// no file: it is standard input or output.
type (
	// ReadPath is a file or folder that the call reads, or in which it works.
	ReadPath string
	// ReadPaths are files or folders that the call reads.
	ReadPaths []string
	// WritePath is a file or folder that the call writes.
	WritePath string
	// Program is a program, or a command line, that the call runs.
	Program string
	// Programs are programs, or command lines, that the call runs.
	Programs []string
	// Script is a file of calls and of programs to start, and the call carries out all of them.
	Script string
	// NamedScript is the name of something the user keeps, or the file of a Script.
	NamedScript string
	// TextOrFile is a text, or the file that holds it.
	TextOrFile string
	// Repository is where git clones from: an address, or a folder. Git may run programs to reach it.
	Repository string
)

// Meaning is the kind of thing that the value of an input or of an answer names. The zero value names nothing: a
// text, a number, a choice.
type Meaning string

// The first seven follow from the type of the field, the others from its tag names or, of ids, from their type.
const (
	MeansReadPath    Meaning = "read-path"
	MeansWritePath   Meaning = "write-path"
	MeansProgram     Meaning = "program"
	MeansScript      Meaning = "script"
	MeansNamedScript Meaning = "named-script"
	MeansTextOrFile  Meaning = "text-or-file"
	MeansRepository  Meaning = "repository"
	// MeansSession is a session or a pane of it, MeansPanes panes of that session, MeansSessions a pattern for the
	// names of sessions, and MeansNewSession the name of one that is made.
	MeansSession    Meaning = "session"
	MeansPanes      Meaning = "panes"
	MeansSessions   Meaning = "sessions"
	MeansNewSession Meaning = "new-session"
	// MeansRecord is something on record, of whichever session: a prompt, a crew, a relay, a run, a worktree.
	MeansRecord Meaning = "record"
	// MeansAlert is an alert of whichever session, by its id.
	MeansAlert Meaning = "alert"
	// MeansAgentSession is the session of an agent that says itself what it does, by its id.
	MeansAgentSession Meaning = "agent-session"
	// MeansVerb is a verb that is described, and not called.
	MeansVerb Meaning = "verb"
	// MeansFileName is the name of a file in a project's history, which is looked up and not opened.
	MeansFileName Meaning = "file-name"
	// MeansHost is another machine, MeansCommand a command of Cupola that is worth running, and MeansCommandLine the
	// command line of a process, which may be of Cupola. Answers alone have these.
	MeansHost        Meaning = "host"
	MeansCommand     Meaning = "command"
	MeansCommandLine Meaning = "command-line"
)

// meanings are the meanings of types. Ids are the ones that every terminal server gives.
var meanings = map[reflect.Type]Meaning{
	reflect.TypeFor[ReadPath]():    MeansReadPath,
	reflect.TypeFor[ReadPaths]():   MeansReadPath,
	reflect.TypeFor[WritePath]():   MeansWritePath,
	reflect.TypeFor[Program]():     MeansProgram,
	reflect.TypeFor[Programs]():    MeansProgram,
	reflect.TypeFor[Script]():      MeansScript,
	reflect.TypeFor[NamedScript](): MeansNamedScript,
	reflect.TypeFor[TextOrFile]():  MeansTextOrFile,
	reflect.TypeFor[Repository]():  MeansRepository,

	reflect.TypeFor[core.PaneID]():    MeansSession,
	reflect.TypeFor[core.SessionID](): MeansSession,
	reflect.TypeFor[core.WindowID]():  MeansSession,
}

// named are the meanings that a tag says.
var named = []Meaning{
	MeansSession, MeansPanes, MeansSessions, MeansNewSession, MeansRecord, MeansAlert, MeansAgentSession, MeansVerb,
	MeansFileName, MeansHost, MeansCommand, MeansCommandLine,
}

// Addressed reports whether a value that means m may be that of another host: HOST/NAME.
func (m Meaning) Addressed() bool {
	return m == MeansSession || m == MeansPanes || m == MeansAlert || m == MeansAgentSession
}

// qualifies reports whether a value that means m has a name that every machine gives, so that it shows on another one
// below the host's name.
func (m Meaning) qualifies() bool { return m.Addressed() || m == MeansHost }

// meaningOf returns the meaning of a field of an input or an answer. It panics on a tag that contradicts it.
func meaningOf(sf reflect.StructField) Meaning {
	if means, is := meanings[sf.Type]; is {
		return means
	}
	if sf.Type.Kind() == reflect.Slice {
		if means, is := meanings[sf.Type.Elem()]; is {
			return means
		}
	}
	tag := Meaning(sf.Tag.Get("names"))
	if tag != "" && !slices.Contains(named, tag) {
		panic("registry: field " + sf.Name + " names " + string(tag) + ", which is nothing known")
	}
	return tag
}

// ofFile reports whether a value of NamedScript is a file, not a name.
func ofFile(word string) bool {
	return strings.ContainsAny(word, `/\`) || strings.HasSuffix(word, ".toml")
}
