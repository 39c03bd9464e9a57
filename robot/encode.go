package robot

import (
	"encoding/json"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Terser is an answer with a line of its own for the terse format.
type Terser interface{ Terse() string }

// Marker is an answer with a page of its own for the markdown format.
type Marker interface{ Markdown() string }

// encode renders an answer.
func (f *Face) encode(verb *registry.Verb, reply *registry.Reply, format string) (string, error) {
	body, err := f.body(verb, reply)
	if err != nil {
		return "", err
	}
	switch format {
	case "ndjson":
		return f.rows(verb, reply, render.Present(body))
	case "json":
		if len(f.Globals.Fields) > 0 {
			body = render.Present(body)
		}
	case "terse", "markdown":
		body = brief(f.Globals.Fields, verb, body, format)
	}
	return f.framed(verb, body, reply, format)
}

// body is an answer with the columns that were chosen.
func (f *Face) body(verb *registry.Verb, reply *registry.Reply) (render.Object, error) {
	value, err := render.Value(reply.Value)
	if err != nil {
		return nil, &core.Error{Code: core.InternalError, Op: verb.Name, Err: err}
	}
	body, _ := value.(render.Object)
	if len(f.Globals.Fields) == 0 {
		return body, nil
	}
	return render.Select(body, selection(f.Globals.Fields, verb))
}

// selection returns the part of the lists of a verb's answer that fields choose, the answer's main list first.
func selection(fields []string, verb *registry.Verb) render.Selection {
	rows := verb.Rows()
	lists := []render.List{{Name: rows.Name, Presets: rows.Presets, Columns: rows.Columns()}}
	for _, list := range verb.Lists() {
		if list.Name != rows.Name {
			lists = append(lists, render.List{Name: list.Name, Presets: list.Presets, Columns: list.Columns()})
		}
	}
	return render.Selection{Fields: fields, Lists: lists}
}

// framed renders an answer with its frame.
func (f *Face) framed(verb *registry.Verb, body render.Object, reply *registry.Reply, format string) (string, error) {
	doc := f.success(verb.Name, body, reply)
	if f.Globals.Progress == "stdout" {
		return line(completed(doc))
	}
	return f.text(format, verb.Name, doc, reply.Value)
}

// failed renders a failure.
func (f *Face) failed(format, command string, e *core.Error) (string, error) {
	doc := f.failure(command, e)
	switch {
	case format == "ndjson":
		return line(ended(doc))
	case format == "json" && f.Globals.Progress == "stdout" && f.Globals.Errors != "stderr":
		return line(completed(doc))
	case format == "terse":
		doc = withCommands(doc)
	}
	return f.text(format, command, doc, nil)
}

// completed is the last line of an operation whose progress went to the same
// place.
func completed(doc render.Object) render.Object {
	return render.Object{{Key: "type", Value: "complete"}, {Key: "result", Value: doc}}
}

// ended is the last line of a stream.
func ended(doc render.Object) render.Object {
	return append(render.Object{{Key: "type", Value: "end"}}, doc...)
}

// rowLine is a row of a list as a line. A row that has a type keeps it.
func rowLine(row render.Object) render.Object {
	if _, own := row.Get("type"); own {
		return row
	}
	return append(render.Object{{Key: "type", Value: "row"}}, row...)
}

// line writes a value as one line of JSON.
func line(value any) (string, error) {
	var b strings.Builder
	if err := render.JSON(&b, value, false); err != nil {
		return "", err
	}
	return b.String() + "\n", nil
}

// rows writes a list as lines of type "row" and the rest of the answer as the
// end line.
func (f *Face) rows(verb *registry.Verb, reply *registry.Reply, body render.Object) (string, error) {
	var b strings.Builder
	rest := render.Object{}
	count := 0
	for _, m := range body {
		rows, ok := m.Value.([]any)
		if m.Key != verb.List || !ok {
			rest = append(rest, m)
			continue
		}
		count = len(rows)
		for _, row := range rows {
			object, _ := row.(render.Object)
			text, err := line(rowLine(object))
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
	}
	rest.Set("count", json.Number(strconv.Itoa(count)))
	end, err := line(ended(f.success(verb.Name, rest, reply)))
	return b.String() + end, err
}

// text writes a document in a format, with its last newline. Value is the
// verb's answer, nil for failures.
func (f *Face) text(format, command string, doc render.Object, value any) (string, error) {
	var b strings.Builder
	var err error
	switch format {
	case "toon":
		err = render.TOON(&b, render.Filled(doc))
	case "terse":
		if own, ok := value.(Terser); ok && len(f.Globals.Fields) == 0 {
			b.WriteString(own.Terse())
		} else {
			b.WriteString(render.Terse(terseName(command), unframed(doc)))
		}
	case "markdown":
		if own, ok := value.(Marker); ok && len(f.Globals.Fields) == 0 {
			b.WriteString(strings.TrimRight(own.Markdown(), "\n"))
		} else {
			b.WriteString(render.Markdown(strings.TrimSpace("cupola "+command), unframed(doc)))
		}
	default:
		err = render.JSON(&b, doc, f.Globals.Pretty)
	}
	if err != nil {
		return "", &core.Error{Code: core.InternalError, Op: command, Err: err}
	}
	b.WriteByte('\n')
	return b.String(), nil
}

func terseName(command string) string {
	if command == "" {
		return "error"
	}
	return command
}

// unframed leaves out the parts of a frame that a line or a page has no use
// for.
func unframed(doc render.Object) render.Object {
	out := make(render.Object, 0, len(doc))
	for _, m := range doc {
		switch m.Key {
		case "timestamp", "_meta", "meta", "_agent_hints", "next_actions":
		default:
			out = append(out, m)
		}
	}
	return out
}
