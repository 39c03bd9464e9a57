package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/shell"
)

// SeeAlso names the verbs that are of use with this one or after it, and returns
// the verb. Help lists them, and an answer that suggests nothing else suggests
// those of them that need no more than the session that was asked about.
func (v *Verb) SeeAlso(names ...string) *Verb {
	v.Related = append(v.Related, names...)
	return v
}

// overview is the verb that every program may call next.
const overview = "status"

// suggestRelated adds verbs to an answer of v that suggests nothing but its next page: about the session that its
// input names, or about all for a nil input.
func suggestRelated(names []string, v *Verb, catalog *Catalog, in any, reply *Reply) {
	if catalog == nil || slices.ContainsFunc(reply.Next, func(next Action) bool { return next.Action != nextPage }) {
		return
	}
	session := ""
	if in != nil {
		session = sessionIn(v, reflect.ValueOf(in))
	}
	for _, name := range names {
		related := catalog.Find(name)
		if related == nil {
			continue
		}
		if command, ok := commandAbout(related, session); ok {
			reply.Next = append(reply.Next, Action{Action: name, Description: related.Short, Command: command})
		}
	}
}

// commandAbout is a verb's command about a session, or about all where the session
// is empty. ok is false for a verb that needs more input.
func commandAbout(v *Verb, session string) (command string, ok bool) {
	in := changeable(v.Zero())
	for _, field := range v.Fields() {
		own := sessionField(field)
		if field.Required && (!own || session == "") {
			return "", false
		}
		// Where a session is a flag, no pane's address is taken for it.
		if own && (field.Arg > 0 || !strings.ContainsAny(session, ".:%")) {
			in.FieldByIndex(field.index).SetString(session)
		}
	}
	return v.Command(in.Interface()), true
}

// sessionIn is the session that an input names; empty where it names none.
func sessionIn(v *Verb, in reflect.Value) string {
	if field := core.Find(v.Fields(), sessionField); field != nil {
		return in.FieldByIndex(field.index).String()
	}
	return ""
}

// sessionField reports whether a field names the session that a call is about.
func sessionField(field *Field) bool {
	return field.Name == "session" && field.Type == "string"
}

// nextPage is the action that shows the rest of a list.
const nextPage = "next-page"

// turn adds the command for the next page to the answer that has one.
func turn(v *Verb, in any, reply *Reply) {
	field := v.Field("offset")
	if field == nil || reply.Hints == nil || reply.Hints.NextOffset == nil {
		return
	}
	next := changeable(in)
	next.FieldByIndex(field.index).SetInt(int64(*reply.Hints.NextOffset))
	says := "See the next page"
	if left := reply.Hints.PagesRemaining; left != nil && *left > 0 {
		says = fmt.Sprintf("%s (%d left)", says, *left)
	}
	reply.Next = append(reply.Next, Action{Action: nextPage, Description: says, Command: v.Command(next.Interface())})
}

// changeable is an input whose fields can be set.
func changeable(in any) reflect.Value {
	value := reflect.New(reflect.TypeOf(in)).Elem()
	value.Set(reflect.ValueOf(in))
	return value
}

// With returns an input of a verb with a switch on; nil if the verb has no such switch.
func With(v *Verb, in any, name string) any {
	field := v.Field(name)
	if field == nil {
		return nil
	}
	value := changeable(in)
	value.FieldByIndex(field.index).SetBool(true)
	return value.Interface()
}

// Again adds words to the command for the next page, with which it answers in the
// same form.
func (r *Reply) Again(words ...string) {
	for i := range r.Next {
		if r.Next[i].Action == nextPage && len(words) > 0 {
			r.Next[i].Command += " " + shell.Line(words...)
		}
	}
}
