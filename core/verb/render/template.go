package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"cupola/core"
)

// goTemplate is a Go template.
type goTemplate struct {
	text   string
	parsed *template.Template
}

// the functions that templates have in addition to Go's own.
var templateFuncs = template.FuncMap{
	"json": func(value any) (string, error) {
		var b strings.Builder
		err := JSON(&b, value, false)
		return b.String(), err
	},
	"join": func(separator string, values []any) string {
		words := core.Map(values, func(value any) string { return fmt.Sprint(value) })
		return strings.Join(words, separator)
	},
}

// Template returns the filter that a Go template is; its functions json and join
// are added to Go's own. The text ends in a newline. A template that makes no
// sense is an InvalidInput error that says where.
func Template(text string) (Filter, error) {
	parsed, err := template.New("").Funcs(templateFuncs).Parse(text)
	if err != nil {
		line, why := placed(err.Error())
		return nil, misread("--go-template", text, lineStart(text, line), why)
	}
	return &goTemplate{text: text, parsed: parsed}, nil
}

// place is how text/template begins its messages; the column is there at run time
// only.
var place = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^template: :(\d+):(?:\d+:)? ?(?:executing "" at )?`)
})

// placed takes the place out of a message of text/template.
func placed(message string) (line int, why string) {
	found := place().FindStringSubmatch(message)
	if found == nil {
		return 1, strings.TrimPrefix(message, "template: ")
	}
	line, _ = strconv.Atoi(found[1])
	return line, message[len(found[0]):]
}

// lineStart is the offset at which a line begins.
func lineStart(text string, line int) int {
	offset := 0
	for ; line > 1; line-- {
		end := strings.IndexByte(text[offset:], '\n')
		if end < 0 {
			break
		}
		offset += end + 1
	}
	return offset
}

// Apply returns the text that the template makes of an answer.
func (t *goTemplate) Apply(ctx context.Context, answer any) (string, error) {
	type result struct {
		text string
		err  error
	}
	// A template can loop without writing anything; nothing stops it then, so it
	// is left behind.
	done := make(chan result, 1)
	go func() {
		out := &limited{ctx: ctx}
		err := t.parsed.Execute(out, Plain(answer, countable))
		done <- result{out.String(), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case made := <-done:
		if made.err == nil {
			return strings.TrimSuffix(made.text, "\n") + "\n", nil
		}
		return "", t.failed(ctx, made.err)
	}
}

// countable returns a number as an int or float64, which templates can compare.
func countable(number json.Number) any {
	if n, err := strconv.Atoi(number.String()); err == nil {
		return n
	}
	n, _ := number.Float64()
	return n
}

func (t *goTemplate) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrSize) {
		return errors.Join(ctx.Err(), err)
	}
	_, why := placed(err.Error())
	return &core.Error{
		Code: core.InvalidInput, Message: "--go-template: " + why,
		Hint:    "The verb has run; the template does not fit its answer.",
		Details: map[string]any{"flag": "--go-template", "expression": t.text},
	}
}
