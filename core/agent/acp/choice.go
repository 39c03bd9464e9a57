package acp

import "slices"

// Allow returns the id of the option that allows this request alone; empty if there is none. Agents list options in
// any order.
func (a *Ask) Allow() string { return a.first("allow_once") }

// Deny returns the id of the option that rejects this request alone or, without one, all of its kind; empty if there
// is none.
func (a *Ask) Deny() string {
	if option := a.first("reject_once"); option != "" {
		return option
	}
	return a.first("reject_always")
}

func (a *Ask) first(kind string) string {
	if i := slices.IndexFunc(a.Options, func(o Option) bool { return o.Kind == kind }); i >= 0 {
		return a.Options[i].ID
	}
	return ""
}
