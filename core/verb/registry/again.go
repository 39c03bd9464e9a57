package registry

import (
	"fmt"
	"reflect"

	"cupola/core/system/shell"
)

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
