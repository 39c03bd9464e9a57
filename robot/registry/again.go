package registry

import (
	"fmt"
	"reflect"

	"cupola/core/shell"
)

// nextPage is the action that shows the rest of a list.
const nextPage = "next-page"

// turn adds the command for the next page to the answer that has one.
func turn(v *Verb, in any, reply *Reply) {
	field := v.Field("offset")
	if field == nil || reply.Hints == nil || reply.Hints.NextOffset == nil {
		return
	}
	next := reflect.New(v.Input()).Elem()
	next.Set(reflect.ValueOf(in))
	next.FieldByIndex(field.index).SetInt(int64(*reply.Hints.NextOffset))
	says := "See the next page"
	if left := reply.Hints.PagesRemaining; left != nil && *left > 0 {
		says = fmt.Sprintf("%s (%d left)", says, *left)
	}
	reply.Next = append(reply.Next, Action{Action: nextPage, Description: says, Command: v.Command(next.Interface())})
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
