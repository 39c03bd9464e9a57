package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"cupola/core"
	"cupola/core/text/near"
)

// Filter turns an answer, a value of the document model, into the text that a caller asked for instead. Apply stops
// when ctx ends.
type Filter interface {
	Apply(ctx context.Context, answer any) (string, error)
}

// asWritten keeps the text of a number.
func asWritten(number json.Number) any { return number }

// limited is text that may not grow beyond MaxBytes, nor outlive its context.
type limited struct {
	strings.Builder
	ctx context.Context //nolint:containedctx // a template writes through an interface that takes none
}

// Write appends to the text.
func (l *limited) Write(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.Len()+len(p) > MaxBytes {
		return 0, ErrSize
	}
	return l.Builder.Write(p)
}

// misread is the error of an expression that cannot be used. Offset counts bytes
// from 0 to where it stops making sense; -1 is nowhere in particular.
func misread(flag, expression string, offset int, why string) error {
	details := map[string]any{"flag": flag, "expression": expression}
	message := flag + ": " + why
	if offset >= 0 {
		before := expression[:min(offset, len(expression))]
		line := strings.Count(before, "\n") + 1
		column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		details["offset"], details["line"], details["column"] = offset, line, column
		message += fmt.Sprintf(" at line %d, column %d", line, column)
	}
	return &core.Error{
		Code: core.InvalidInput, Message: message, Hint: "Correct the expression; the verb was not run.",
		Details: details,
	}
}

// query is a jq expression.
type query struct {
	text   string
	code   *gojq.Code
	indent bool
}

// Query returns the filter that a jq expression is. Its results are a line each:
// strings as they are, everything else as JSON, which indent indents. The
// expression sees neither the environment nor files. One that makes no sense is
// an InvalidInput error that says where.
func Query(expression string, indent bool) (Filter, error) {
	parsed, err := gojq.Parse(expression)
	if wrong := (*gojq.ParseError)(nil); errors.As(err, &wrong) {
		return nil, misread("--jq", expression, wrong.Offset-len(wrong.Token), err.Error())
	}
	if err != nil {
		return nil, misread("--jq", expression, -1, err.Error())
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, misread("--jq", expression, locate(expression, err.Error()), err.Error())
	}
	return &query{text: expression, code: code, indent: indent}, nil
}

// locate finds in an expression the name that a message ends with, as in
// "function not defined: keyz/0".
func locate(expression, message string) int {
	_, name, _ := strings.Cut(message, ": ")
	name, _, _ = strings.Cut(name, "/")
	if name == "" {
		return -1
	}
	return strings.Index(expression, name)
}

// Apply returns the results of the expression over an answer.
func (q *query) Apply(ctx context.Context, answer any) (string, error) {
	value := Plain(answer, asWritten)
	out := &limited{ctx: ctx}
	results := q.code.RunWithContext(ctx, value)
	for {
		result, more := results.Next()
		if !more {
			return out.String(), nil
		}
		if halt := (*gojq.HaltError)(nil); isHalt(result, &halt) && halt.ExitCode() == 0 {
			return out.String(), nil
		}
		if err, failed := result.(error); failed {
			return "", q.failed(ctx, err, value)
		}
		if err := q.write(out, result); err != nil {
			return "", err
		}
	}
}

func isHalt(result any, halt **gojq.HaltError) bool {
	err, failed := result.(error)
	return failed && errors.As(err, halt)
}

func (q *query) failed(ctx context.Context, err error, answer any) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := &core.Error{
		Code: core.InvalidInput, Message: "--jq: " + err.Error(),
		Hint:    "The verb has run; the expression does not fit its answer.",
		Details: map[string]any{"flag": "--jq", "expression": q.text}, Slip: core.Slip{Word: q.text, Input: "jq"},
	}
	fields, _ := answer.(map[string]any)
	at := firstField().FindStringSubmatchIndex(q.text)
	if len(fields) == 0 || at == nil {
		return failed
	}
	name := q.text[at[2]:at[3]]
	if _, known := fields[name]; known {
		return failed
	}
	for _, field := range near.Words(name, slices.Collect(maps.Keys(fields))) {
		failed.Suggestions = append(failed.Suggestions, q.text[:at[2]]+field+q.text[at[3]:])
	}
	if len(failed.Suggestions) > 0 {
		failed.Hint = "The verb has run; its answer has no field " + name + ". Did you mean " + failed.Suggestions[0] +
			"?"
	}
	return failed
}

// firstField is the field of the answer with which an expression begins.
var firstField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\[?\s*\.([A-Za-z_]\w*)`)
})

func (q *query) write(out *limited, result any) error {
	text, ok := result.(string)
	if !ok {
		data, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		if q.indent {
			var b strings.Builder
			if err := JSON(&b, json.RawMessage(data), true); err != nil {
				return err
			}
			data = []byte(b.String())
		}
		text = string(data)
	}
	_, err := out.Write([]byte(text + "\n"))
	return err
}

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
