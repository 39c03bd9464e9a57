package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Escape says how to type texts that the composer would treat as something else than plain
// text, or how the composer changes them.
type Escape struct {
	// Text is a pattern for the texts to which the rule applies.
	Text string
	// Taken is the meaning that they would have for the agent: "a shell command".
	Taken string
	// Command is true if a sender may want that.
	Command bool
	// Before and After are typed around the text so that it stays plain text. Agents trim
	// blanks at the ends.
	Before, After string
	// Becomes is the change that the agent makes to the text if nothing prevents it: "tabs become
	// blanks".
	Becomes string
}

// Escaped is a text in the form in which it is typed.
type Escaped struct {
	Text string
	// Notes say how Text differs from the given text, and why.
	Notes []string
	// Refused is the reason why the text cannot be typed as plain text; empty if it can.
	Refused string
	// Command is true if a note is about text that the kind would treat as a command.
	Command bool
}

// Escape returns what to type so that the kind treats a text as plain text. If command is
// true, the text is meant as a command of the kind and typed unchanged.
func (k *Kind) Escape(text string, command bool) Escaped {
	escaped := Escaped{Text: text}
	if command {
		return escaped
	}
	for i := range k.Typing.Escape {
		e := &k.Typing.Escape[i]
		if !regexp.MustCompile(e.Text).MatchString(text) {
			continue
		}
		switch {
		case e.Becomes != "":
			escaped.Notes = append(escaped.Notes, fmt.Sprintf("in %s %s", k.Name, e.Becomes))
		case e.Before+e.After == "":
			escaped.Refused = fmt.Sprintf("%s would take it for %s", k.Name, e.Taken)
			return escaped
		case e.Taken != "":
			escaped.Notes, escaped.Command = append(escaped.Notes, e.note(k.Name)), escaped.Command || e.Command
		}
		escaped.Text = e.Before + escaped.Text
		if !strings.HasSuffix(escaped.Text, e.After) {
			escaped.Text += e.After
		}
	}
	return escaped
}

// TakesForCommand reports whether the kind would treat an unescaped text as a command.
func (k *Kind) TakesForCommand(text string) bool {
	return slices.ContainsFunc(k.Typing.Escape, func(e Escape) bool {
		return e.Command && regexp.MustCompile(e.Text).MatchString(text)
	})
}

// note says what is typed beside the text, and why.
func (e *Escape) note(name string) string {
	around, where := e.After, "after"
	if e.Before != "" {
		around, where = e.Before, "before"
	}
	what := "a blank is typed"
	switch {
	case strings.Trim(around, "\n") == "":
		what = "blank lines are typed"
	case strings.TrimSpace(around) != "":
		what = fmt.Sprintf("the invisible character %U is typed", []rune(around)[0])
	}
	return fmt.Sprintf("%s %s it, so that %s does not take it for %s", what, where, name, e.Taken)
}

// checkEscapes holds escapes to what Escape relies on.
func (s source) checkEscapes(escapes []Escape) error {
	key := func(name string) toml.Key { return toml.Key{"typing", "escape", name} }
	for i := range escapes {
		e := &escapes[i]
		switch {
		case e.Text == "":
			return s.errorf(key("text"), "is missing")
		case e.Taken == "" && e.Becomes == "" && e.Before+e.After == "":
			return s.errorf(key("taken"), "is missing: what the agent takes %q for", e.Text)
		case strings.Trim(e.Before+e.After, " \n\u2060") != "":
			return s.errorf(key("before"), "only blanks, newlines and U+2060 can be typed around a text")
		}
		if err := s.compiles(key("text"), e.Text); err != nil {
			return err
		}
	}
	return nil
}
