package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"cupola/core"
)

// Answer is the answer of a tool.
type Answer struct {
	// Fields are the declared fields that the answer contains, each of its declared type.
	Fields map[string]any
	// Rows are the rows of the list, each with all columns.
	Rows []map[string]any
	// Total is the number of rows on all pages, as far as known. More is true if there are
	// rows behind Rows.
	Total int
	More  bool
	Hints Hints
	Next  []Next
	// Raw is the tool's output: JSON, or a string.
	Raw any
}

// Hints are a tool's remarks on its answer, in sentences; each may be empty.
type Hints struct {
	Summary          string `json:"summary"`
	SuggestedAction  string `json:"suggested_action"`
	SaferAlternative string `json:"safer_alternative"`
}

// Next is a verb worth calling next: its name and then its arguments.
type Next struct {
	Action      string   `json:"action"`
	Description string   `json:"description"`
	Words       []string `json:"words"`
}

// mapWithin is how long an expression may work on an answer.
const mapWithin = 5 * time.Second

// page is the part of a list that was asked for; limit 0 is all of it.
type page struct{ limit, offset int }

// read makes an answer of what a tool printed.
func (a *Action) read(ctx context.Context, out printed, values Values) (*Answer, error) {
	raw, err := a.decode(out.stdout)
	if err != nil {
		return nil, a.unread(out, err)
	}
	said, err := a.evaluate(ctx, raw, out.status, values)
	if err == nil {
		err = a.fits(raw)
	}
	if err == nil {
		var answer *Answer
		if answer, err = a.shape(said); err == nil {
			answer.Raw = raw
			answer.cut(a.List, pageOf(values))
			return answer, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, a.unread(out, err)
}

// unread is the error of an answer that cannot be understood.
func (a *Action) unread(out printed, err error) error {
	e := core.Errorf(core.DecodeFailed, "the answer of %s cannot be understood: %w", a.Tool.ID, err)
	e.Hint = "The tool may be of another version than the bridge knows; a file in the bridges folder of the " +
		"configuration can change how it is read."
	e.Details = a.Tool.details(nil, out)
	return e
}

// decode reads what was printed. Numbers stay exact.
func (a *Action) decode(text []byte) (any, error) {
	if a.Text {
		return strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD"), nil
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it printed nothing")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var raw any
	if err := decoder.Decode(&raw); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON document")
	}
	return raw, nil
}

// evaluate applies the action's expression. It knows the modifiers as $in and
// the exit status as $exit.
func (a *Action) evaluate(ctx context.Context, raw any, status int, values Values) (map[string]any, error) {
	code, err := compile(a.Map)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, mapWithin)
	defer stop()
	in := map[string]any{}
	for name, value := range values {
		in[name] = written(value, "")
	}
	iter := code.RunWithContext(ctx, raw, in, status)
	first, ok := iter.Next()
	if !ok {
		return nil, errors.New("there is no answer in it")
	}
	if err, bad := first.(error); bad {
		return nil, err
	}
	object, ok := first.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a %s where an object was expected", gojq.TypeOf(first))
	}
	return object, nil
}

// compile compiles an expression, which can reach neither environment nor files.
func compile(expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, err
	}
	return gojq.Compile(query, gojq.WithVariables([]string{"$in", "$exit"}))
}

// reserved are the names in an expression's object that are no fields.
const (
	hintsName = "_hints"
	nextName  = "_next"
	totalName = "total_matches"
)

// shape holds what an expression made to the declared fields.
func (a *Action) shape(said map[string]any) (*Answer, error) {
	answer := &Answer{Fields: map[string]any{}, Rows: []map[string]any{}}
	for _, field := range a.Fields {
		value, ok := said[field.Name]
		if (!ok || value == nil) && field.Optional {
			continue
		}
		typed, err := field.typed(value)
		if err != nil {
			return nil, err
		}
		answer.Fields[field.Name] = typed
	}
	if err := remade(said[hintsName], &answer.Hints); err != nil {
		return nil, err
	}
	if err := remade(said[nextName], &answer.Next); err != nil {
		return nil, err
	}
	if a.List == nil {
		return answer, nil
	}
	return answer, a.List.fill(answer, said)
}

// fill adds the rows of a list.
func (l *List) fill(answer *Answer, said map[string]any) error {
	rows, ok := said[l.Name].([]any)
	if !ok && said[l.Name] != nil {
		return fmt.Errorf("%s is a %s, not a list", l.Name, gojq.TypeOf(said[l.Name]))
	}
	for i, row := range rows {
		object, ok := row.(map[string]any)
		if !ok {
			return fmt.Errorf("%s[%d] is a %s, not an object", l.Name, i, gojq.TypeOf(row))
		}
		typed := make(map[string]any, len(l.Columns))
		for _, column := range l.Columns {
			value, err := column.typed(object[column.Name])
			if err != nil {
				return fmt.Errorf("%s[%d]: %w", l.Name, i, err)
			}
			typed[column.Name] = value
		}
		if !slices.ContainsFunc(l.Columns, func(c Column) bool { return object[c.Name] != nil }) {
			return fmt.Errorf("%s[%d] has none of the columns %s", l.Name, i, columnNames(l.Columns))
		}
		answer.Rows = append(answer.Rows, typed)
	}
	answer.Total = -1
	if said[totalName] != nil {
		total, err := Column{Name: totalName, Type: "int"}.typed(said[totalName])
		if err != nil {
			return err
		}
		answer.Total, _ = total.(int)
	}
	return nil
}

// remade puts a value of an expression into a Go value.
func remade(value, into any) error {
	if value == nil {
		return nil
	}
	text, err := gojq.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// pageOf is the page that was asked for.
func pageOf(values Values) page {
	limit, _ := values["limit"].(int)
	offset, _ := values["offset"].(int)
	return page{limit: limit, offset: offset}
}

// cut keeps the rows of the page and says what they are of the whole. A total
// that the tool did not say is as many rows as are known of.
func (a *Answer) cut(list *List, p page) {
	if list == nil {
		return
	}
	switch list.Pages {
	case PagedHere:
		known := len(a.Rows)
		from := min(p.offset, known)
		to := known
		if p.limit > 0 {
			to = min(from+p.limit, known)
		}
		a.Rows, a.Total = a.Rows[from:to], max(a.Total, known)
		a.More = to < a.Total
	case PagedByTool:
		seen := p.offset + len(a.Rows)
		unsaid := a.Total < 0
		a.Total = max(a.Total, seen)
		a.More = seen < a.Total || unsaid && p.limit > 0 && len(a.Rows) >= p.limit
	default:
		a.Total = max(a.Total, len(a.Rows))
	}
}
