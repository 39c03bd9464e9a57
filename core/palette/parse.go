package palette

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/near"
)

// keyForm is what a key looks like, so that it needs no quotes in any shell.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// keys are those of a prompt in a file.
var keys = []string{"key", "label", "category", "text", "tags", "sessions"}

// Parse reads a palette's file. Origin names it in errors, which are
// ConfigInvalid.
func Parse(origin, text string) ([]Prompt, error) {
	var doc struct {
		Prompt []Prompt `toml:"prompt"`
	}
	meta, err := toml.Decode(text, &doc)
	if parse := (toml.ParseError{}); errors.As(err, &parse) {
		return nil, wrong(origin, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return nil, &core.Error{Code: core.ConfigInvalid, Message: origin + ": " + err.Error(), Err: err}
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, unknownKey(origin, text, unknown[0])
	}
	first := map[string]int{}
	for i := range doc.Prompt {
		p, line := &doc.Prompt[i], tableLine(text, i)
		if fault := p.fault(); fault != "" {
			return nil, wrong(origin, line, fault)
		}
		if other, taken := first[p.Key]; taken {
			return nil, wrong(origin, line, fmt.Sprintf("the key %q is taken by the prompt at line %d", p.Key, other))
		}
		first[p.Key] = line
		p.Origin = origin
		if p.Label == "" {
			p.Label = p.Key
		}
	}
	return doc.Prompt, nil
}

// fault says what is wrong with a prompt; empty if nothing is.
func (p *Prompt) fault() string {
	switch {
	case p.Key == "":
		return "the prompt has no key"
	case !keyForm.MatchString(p.Key):
		return fmt.Sprintf("the key %q must begin with a letter or digit and hold nothing but those, dots, dashes and underscores", p.Key)
	case strings.TrimSpace(p.Text) == "":
		return fmt.Sprintf("the prompt %q has no text", p.Key)
	}
	for _, pattern := range p.Sessions {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Sprintf("the prompt %q: %q is no pattern of session names", p.Key, pattern)
		}
	}
	return ""
}

func wrong(origin string, line int, what string) *core.Error {
	return &core.Error{Code: core.ConfigInvalid, Message: fmt.Sprintf("%s: line %d: %s", origin, line, what)}
}

// unknownKey is the error of a key that means nothing here.
func unknownKey(origin, text string, key toml.Key) error {
	word, known := key[len(key)-1], keys
	if len(key) == 1 {
		known = []string{"prompt"}
	}
	line := 0
	for i, row := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.Trim(row, " \t[\"'"), word) {
			line = i + 1
			break
		}
	}
	err := wrong(origin, line, "unknown key "+key.String())
	if err.Suggestions = near.Words(word, known); len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	} else {
		err.Hint = "A prompt has " + strings.Join(keys, ", ") + ", under [[prompt]]."
	}
	return err
}

// tableLine is the line of the n-th [[prompt]], from 0; where prompts are written
// in another way, it is the first.
func tableLine(text string, n int) int {
	for i, row := range strings.Split(text, "\n") {
		row, _, _ = strings.Cut(row, "#")
		if strings.ReplaceAll(strings.TrimSpace(row), " ", "") != "[[prompt]]" {
			continue
		}
		if n == 0 {
			return i + 1
		}
		n--
	}
	return 1
}
