package render

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/itchyny/gojq"

	"cupola/core"
	"cupola/core/text/near"
)

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
