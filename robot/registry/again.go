package registry

import (
	"fmt"
	"reflect"
	"strconv"
)

// nextPage is the action that shows the rest of a list.
const nextPage = "next-page"

// with returns the command that gives an input with one field set to another text;
// ok is false if the verb has no such field.
func (v *Verb) with(in any, name, text string) (command string, ok bool) {
	for _, field := range v.Fields() {
		if field.Name != name {
			continue
		}
		changed := reflect.New(v.Input()).Elem()
		changed.Set(reflect.ValueOf(in))
		if field.Type == "list" || setField(field, changed.FieldByIndex(field.index), text) != nil {
			return "", false
		}
		return v.Command(changed.Interface()), true
	}
	return "", false
}

// turn adds the command for the next page to the answer that has one.
func (v *Verb) turn(in any, reply *Reply) {
	if reply.Hints == nil || reply.Hints.NextOffset == nil {
		return
	}
	command, ok := v.with(in, "offset", strconv.Itoa(*reply.Hints.NextOffset))
	if !ok {
		return
	}
	says := "See the next page"
	if left := reply.Hints.PagesRemaining; left != nil && *left > 0 {
		says = fmt.Sprintf("%s (%d left)", says, *left)
	}
	reply.Next = append(reply.Next, Action{Action: nextPage, Description: says, Command: command})
}

// Again adds words to the command for the next page, with which it answers in the
// same form.
func (r *Reply) Again(words ...string) {
	for i := range r.Next {
		if r.Next[i].Action == nextPage && len(words) > 0 {
			r.Next[i].Command += " " + Line(words...)
		}
	}
}
