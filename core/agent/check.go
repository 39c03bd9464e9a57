package agent

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/agent/versions"
)

// kindID matches valid ids and short names. They need no quotes as parts of flags and names.
var kindID = compiled(`^[a-z][a-z0-9-]*$`)

// IsID reports whether a text can be the id or the short name of a kind.
func IsID(text string) bool { return kindID().MatchString(text) }

// check holds a kind to what the rest of Cupola relies on. The error joins all faults.
func (l *loader) check(k *Kind, src source) error {
	errs := []error{
		l.checkNames(k, src),
		checkStart(k, src),
		src.compiles(toml.Key{"process", "script"}, k.Process.Script),
		src.checkPatterns(k.Process, "process"),
		src.compiles(toml.Key{"launch", "resumed"}, k.Launch.Resumed),
		src.compiles(toml.Key{"limit", "retry"}, k.Limit.Retry),
		src.compiles(toml.Key{"limit", "leave"}, k.Limit.Leave),
		src.checkEscapes(k.Typing.Escape),
		k.Headless.check(src),
		k.ACP.check(src),
		checkBy(k, src),
		k.Skills.check(src),
		k.MCP.check(src),
		k.screen.composer.check(src),
	}
	for _, rule := range k.screen.rules {
		errs = append(errs, rule.check(src))
	}
	errs = append(
		errs, src.checkPatterns(k.screen.context, "context"), k.screen.version.check(src), k.screen.turn.check(src),
		k.hooks.own.check(src),
	)
	for _, name := range slices.Sorted(maps.Keys(k.screen.answers)) {
		errs = append(errs, k.screen.answers[name].check(src, name))
	}
	return errors.Join(errs...)
}

func (l *loader) checkNames(k *Kind, src source) error {
	switch {
	case !IsID(string(k.ID)):
		return src.errorf(toml.Key{"id"}, "%q is not made of small letters, digits and dashes", k.ID)
	case !IsID(k.Short):
		return src.errorf(toml.Key{"short"}, "%q is not made of small letters, digits and dashes", k.Short)
	}
	for _, other := range l.kinds {
		if other != k && (other.Short == k.Short || string(other.ID) == k.Short || other.Short == string(k.ID)) {
			return src.errorf(toml.Key{"short"}, "%q already names the kind %s", k.Short, other.ID)
		}
	}
	return nil
}

func checkStart(k *Kind, src source) error {
	var errs []error
	if len(k.Launch.Command) == 0 && k.ID != core.KindCommand && k.ID != core.KindGeneric {
		errs = append(errs, src.errorf(toml.Key{"launch", "command"}, "is missing"))
	}
	if k.Typing.Busy != Queues && k.Typing.Busy != Steers && k.Typing.Busy != "" {
		errs = append(errs,
			src.errorf(toml.Key{"typing", "busy"}, "%q is neither %q nor %q", k.Typing.Busy, Queues, Steers))
	}
	if k.Typing.Settle < 0 {
		errs = append(errs, src.errorf(toml.Key{"typing", "settle"}, "is negative"))
	}
	return errors.Join(errs...)
}

func (s *composerSpec) check(src source) error {
	key := func(name string) toml.Key { return toml.Key{"composer", name} }
	if !slices.Contains([]string{"", cursorInside, cursorVisible}, s.Cursor) {
		return src.errorf(key("cursor"), "%q is neither %q nor %q", s.Cursor, cursorInside, cursorVisible)
	}
	if s.Prompt.given() && (!s.Bottom.given() || !s.More.given()) {
		return src.errorf(key("prompt"), "needs composer.bottom (the edge below the input box) and composer.more "+
			"(what begins further rows of a draft) beside it")
	}
	return src.checkPatterns(s, "composer")
}

func (r *Rule) check(src source) error {
	key := func(name string) toml.Key { return toml.Key{"rule", r.ID, name} }
	if !slices.Contains(regions, r.Region) {
		return src.errorf(key("region"), "%q is none of %s", r.Region, core.Join(regions, ", "))
	}
	if r.State != "" && !slices.Contains(core.States, r.State) {
		return src.errorf(key("state"), "%q is none of %s", r.State, core.Join(core.States, ", "))
	}
	if r.Reason != "" && !slices.Contains(core.ReasonsOf(r.State), r.Reason) {
		return src.errorf(key("reason"), "%q is none of %s", r.Reason, reasonsOf(r.State))
	}
	if r.State == core.Waiting && r.Reason == "" {
		return src.errorf(key("reason"), "is missing: one of %s", reasonsOf(r.State))
	}
	switch {
	case r.Failure != "" && r.Failure != failureWords && r.Failure != failureForm:
		return src.errorf(key("failure"), "%q is neither %q nor %q", r.Failure, failureWords, failureForm)
	case r.Failure != "" && (len(r.All) == 0 || r.State != ""):
		return src.errorf(key("failure"), "needs all beside it, and no state")
	case r.Failure != "" && !strings.HasPrefix(r.ID, FailureRule):
		return src.errorf(key("failure"), "needs an id that begins with %q", FailureRule)
	}
	if _, err := versions.ParseRange(r.Versions); err != nil {
		return src.errorf(key("versions"), "%w", err)
	}
	return src.checkPatterns(r, "rule", r.ID)
}

// compiles returns an error for the first pattern that does not compile.
func (s source) compiles(key toml.Key, exprs ...string) error {
	for _, expr := range exprs {
		if _, err := regexp.Compile(expr); err != nil {
			return s.errorf(key, "%w", err)
		}
	}
	return nil
}

// reasonsOf lists the reasons that a state can have.
func reasonsOf(state core.State) string { return core.Join(core.ReasonsOf(state), ", ") }
