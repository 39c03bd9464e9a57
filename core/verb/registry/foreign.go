package registry

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb/render"
)

// Foreign makes what a host sent safe to pass on here, whatever the host is: names of sessions and panes are below the
// host's name, and commands are made anew, for that host alone.
type Foreign struct {
	// Host is the name that this machine has for the host.
	Host string
	// Catalog has the verbs of the commands.
	Catalog *Catalog
}

// commandMost is the longest command of a host that is read, in bytes.
const commandMost = 4 << 10

// Command returns a command line of the host as it is given here. It is made from the verb and its typed input: a line
// that has anything else is dropped, and so is one for this machine alone, or for another host.
func (f *Foreign) Command(line string) (command string, ok bool) {
	control := func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }
	if len(line) > commandMost || strings.ContainsFunc(line, control) {
		return "", false
	}
	words, err := shell.Words(line)
	if err != nil || len(words) < 2 || words[0] != "cupola" || shell.HasOperators(line) {
		return "", false
	}
	words = words[1:]
	if words[0] == "--host="+f.Host { // where its own Cupola has put it
		words = words[1:]
	}
	if len(words) == 0 || f.Catalog == nil {
		return "", false
	}
	verb := f.Catalog.Find(words[0])
	if verb == nil || verb.Local {
		return "", false
	}
	in, ok := f.parsed(verb, words[1:])
	if !ok {
		return "", false
	}
	in, addressed := f.addressed(verb, in)
	line = verb.Command(in)
	if !addressed {
		line = CommandOn(f.Host, line)
	}
	return line, true
}

// parsed returns the input that words give a verb of the host.
func (f *Foreign) parsed(verb *Verb, words []string) (in any, ok bool) {
	flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
	flags.Usage = func() {}
	global, bound := BindGlobals(flags), verb.Bind(flags)
	if flags.Parse(words) != nil {
		return nil, false
	}
	// What chooses the form of the answer is the caller's, and another host is none of this one's business.
	chosen, is := global.Input().(Globals)
	if !is || slices.ContainsFunc(chosen.Host, func(name string) bool { return name != f.Host }) ||
		bound.Args(flags.Args()) != nil || verb.Check(bound.Input()) != nil {
		return nil, false
	}
	if _, takesAlong := bound.Input().(Departing); takesAlong && flags.Changed("branch") {
		return nil, false // it would take something of this machine there
	}
	return bound.Input(), true
}

// addressed returns an input whose first address names the host, and whether it has one. The others are of the same
// host.
func (f *Foreign) addressed(verb *Verb, in any) (any, bool) {
	named := false
	in = Addressed(verb, in, func(text string) string {
		if at := core.ParseAddress(text); at.Host == f.Host {
			text = at.There()
		}
		if named || text == "" {
			return text
		}
		named = true
		return core.OnHost(f.Host, text)
	})
	return in, named
}

// Commands returns those of some command lines that can be given here. Nil stays nil.
func (f *Foreign) Commands(lines []string) []string {
	if lines == nil {
		return nil
	}
	safe := []string{}
	for _, line := range lines {
		if command, ok := f.Command(line); ok {
			safe = append(safe, command)
		}
	}
	return safe
}

// Name returns the name or id of something of the host below the host's name; an empty one stays empty.
func (f *Foreign) Name(name string) string {
	if name == "" || core.ParseAddress(name).Host == f.Host {
		return name
	}
	return core.OnHost(f.Host, name)
}

// meaningByName has the meanings of document members whose type this program does not know, such as the answers of
// the steps of a pipeline, by the names that answers use.
var meaningByName = map[string]Meaning{
	"session": MeansSession, "session_names": MeansSession, "sessions": MeansSession, "address": MeansSession,
	"addresses": MeansSession, "pane": MeansSession, "pane_id": MeansSession, "panes": MeansSession,
	"subject": MeansSession, "host": MeansHost, "command": MeansCommandLine, "fix": MeansCommand,
	"install": MeansCommand, "actions": MeansCommand, "examples": MeansCommand,
}

// Document returns a document of the host, made for an answer of a type; nil is a type that is not known. Members that
// the type does not have are left out, so that none can take the place of one that frames answers.
func (f *Foreign) Document(text json.RawMessage, of reflect.Type) (render.Object, error) {
	value, err := render.Value(text)
	if err != nil {
		return nil, core.Errorf(core.DecodeFailed, "the answer of host %s cannot be understood: %w", f.Host, err)
	}
	object, is := value.(render.Object)
	if !is {
		return nil, core.Errorf(core.DecodeFailed, "the answer of host %s is no document", f.Host)
	}
	safe, _ := f.walk(object, of, "").(render.Object)
	return safe, nil
}

// Report returns what people see of an answer of the host: its commands are made anew.
func (f *Foreign) Report(shown *report.Report) *report.Report {
	if shown == nil {
		return nil
	}
	safe := *shown
	safe.Next = nil
	for _, tip := range shown.Next {
		if command, ok := f.Command(tip.Command); ok {
			safe.Next = append(safe.Next, report.Tip{Command: command, Does: tip.Does})
		}
	}
	code := func(cells []report.Cell) {
		for i := range cells {
			if cells[i].Tone == report.Code {
				cells[i].Text = f.text(cells[i].Text, MeansCommand)
			}
		}
	}
	for _, block := range safe.Blocks {
		for _, line := range block.Lines {
			code(line)
		}
		if block.Table != nil {
			for _, row := range block.Table.Rows {
				code(row)
			}
		}
	}
	return &safe
}

// Actions returns what the host suggests to do next.
func (f *Foreign) Actions(next []Action) []Action {
	var safe []Action
	for _, action := range next {
		if command, ok := f.Command(action.Command); ok {
			action.Command = command
			safe = append(safe, action)
		}
	}
	return safe
}

// Hints returns what the host says beside an answer.
func (f *Foreign) Hints(hints *Hints) *Hints {
	if hints == nil {
		return nil
	}
	safe := *hints
	safe.SuggestedAction = f.text(hints.SuggestedAction, MeansCommand)
	safe.SaferAlternative = f.text(hints.SaferAlternative, MeansCommand)
	return &safe
}

// Details returns what a failure of the host says beside its message.
func (f *Foreign) Details(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	value, err := render.Value(text)
	if err != nil {
		return nil
	}
	return f.walk(value, nil, "")
}

// walk makes a part of an answer safe.
func (f *Foreign) walk(value any, of reflect.Type, what Meaning) any {
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch value := value.(type) {
	case string:
		return f.text(value, what)
	case []any:
		return f.list(value, of, what)
	case render.Object:
		return f.object(value, of)
	}
	return value
}

// text makes a text safe.
func (f *Foreign) text(text string, what Meaning) string {
	switch {
	case what.qualifies():
		return f.Name(text)
	case what == MeansCommand, what == MeansCommandLine && strings.HasPrefix(strings.TrimSpace(text), "cupola"):
		text, _ = f.Command(text)
	}
	return text
}

// list makes the items of a list safe. Commands that are dropped leave nothing behind.
func (f *Foreign) list(items []any, of reflect.Type, what Meaning) []any {
	if of != nil && of.Kind() == reflect.Slice {
		of = of.Elem()
	} else {
		of = nil
	}
	safe := make([]any, 0, len(items))
	for _, item := range items {
		item = f.walk(item, of, what)
		if text, is := item.(string); is && text == "" && what == MeansCommand {
			continue
		}
		safe = append(safe, item)
	}
	return safe
}

// object makes the members of an object safe.
func (f *Foreign) object(object render.Object, of reflect.Type) render.Object {
	fields := fieldsByKey(of)
	safe := make(render.Object, 0, len(object))
	for _, member := range object {
		field, has := fields[member.Key]
		switch {
		case has:
			member.Value = f.walk(member.Value, field.Type, meaningOf(field))
		case fields != nil:
			continue // this program does not know it
		case of != nil && of.Kind() == reflect.Map:
			member.Value = f.walk(member.Value, of.Elem(), meaningByName[member.Key])
		default:
			member.Value = f.walk(member.Value, nil, meaningByName[member.Key])
		}
		safe = append(safe, member)
	}
	return safe
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// fieldsByKey are the fields of a struct by their names in JSON; nil for other types, and for those that write
// themselves.
func fieldsByKey(of reflect.Type) map[string]reflect.StructField {
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of == nil || of.Kind() != reflect.Struct || of.Implements(marshaler) ||
		reflect.PointerTo(of).Implements(marshaler) || of.Implements(textMarshaler) {
		return nil
	}
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(of) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" && !field.Anonymous {
			key = field.Name
		}
		if key == "" || key == "-" || !field.IsExported() {
			continue
		}
		if before, has := fields[key]; !has || len(field.Index) < len(before.Index) {
			fields[key] = field
		}
	}
	return fields
}

// TakesOver reports whether a verb may answer with a command that takes over a person's terminal.
func TakesOver(v *Verb) bool {
	planner := reflect.TypeFor[interface{ Plan() []string }]()
	return v.Output() != nil && v.Output().Implements(planner)
}

// Flows reports whether a verb answers an input line by line, where a person reads it or not.
func Flows(v *Verb, in any, human bool) bool { return As(v, in).Streams || human && isLive(in) }

// Duration returns the value of an input that is a duration; 0 if a verb has none of that name.
func Duration(v *Verb, in any, name string) time.Duration {
	field := v.Field(name)
	if field == nil || field.Type != "duration" {
		return 0
	}
	return time.Duration(reflect.ValueOf(in).FieldByIndex(field.index).Int())
}
