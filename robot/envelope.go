package robot

import (
	"cmp"
	"slices"
	"strconv"

	"cupola/core"
	"cupola/core/verb/advice"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Meta is the _meta of an answer.
type Meta struct {
	// ElapsedMS is the time from the start of the command, in milliseconds.
	ElapsedMS     float64       `json:"elapsed_ms"`
	Version       string        `json:"version"`
	SchemaVersion string        `json:"schema_version"`
	Command       string        `json:"command,omitempty"`
	Revision      core.Revision `json:"revision"`
	// Timestamp is given in the envelope "data" alone; the other has it beside _meta.
	Timestamp string `json:"timestamp,omitempty"`
	// CostUSD is the cost of the call; nil if it asked no model, or does not know.
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

func (f *Face) meta(command string) Meta {
	elapsed := f.Now().Sub(f.Started)
	meta := Meta{
		ElapsedMS: float64(elapsed.Microseconds()) / 1000, Version: f.Env.Who().Version,
		SchemaVersion: guide.SchemaVersion, Command: command,
	}
	if f.Revision != nil {
		meta.Revision = f.Revision()
	}
	return meta
}

// charged returns meta with what the call has spent.
func charged(meta Meta, reply *registry.Reply) Meta {
	if usd, known := reply.Spent(); known {
		meta.CostUSD = &usd
	}
	return meta
}

// success frames an answer.
func (f *Face) success(command string, body render.Object, reply *registry.Reply) render.Object {
	meta := charged(f.meta(command), reply)
	if f.Globals.Envelope == "data" {
		meta.Timestamp = core.Stamp(f.Now())
		doc := render.Object{
			{Key: "ok", Value: true},
			{Key: "data", Value: body},
			{Key: "meta", Value: meta},
		}
		doc = hinted(doc, reply)
		return append(doc, render.Member{Key: "next_actions", Value: nonNil(reply.Next)})
	}
	doc := render.Object{{Key: "success", Value: true}, {Key: "timestamp", Value: core.Stamp(f.Now())}}
	doc = append(append(doc, body...), render.Member{Key: "_meta", Value: meta})
	doc = hinted(doc, reply)
	if len(reply.Next) > 0 {
		doc = append(doc, render.Member{Key: "next_actions", Value: reply.Next})
	}
	return doc
}

// hinted adds the hints that are not empty. Like a failure, they repeat no long
// argument.
func hinted(doc render.Object, reply *registry.Reply) render.Object {
	if reply.Hints != nil && !reply.Hints.Empty() {
		hints := *reply.Hints
		hints.Summary, hints.Warnings = core.Cut(hints.Summary), slices.Clone(hints.Warnings)
		for i := range hints.Warnings {
			hints.Warnings[i] = core.Cut(hints.Warnings[i])
		}
		doc = append(doc, render.Member{Key: "_agent_hints", Value: &hints})
	}
	return doc
}

func nonNil(actions []registry.Action) []registry.Action {
	if actions == nil {
		return []registry.Action{}
	}
	return actions
}

// failure frames an error.
func (f *Face) failure(command string, e *core.Error) render.Object {
	e = e.Bounded()
	row := advice.Of(e.Code)
	hint := cmp.Or(e.Hint, row.Hint)
	f.Warnings = append(f.Warnings, f.Env.Who().Warnings()...)
	code, meta := string(row.Code), f.meta(command)
	if f.Globals.Envelope == "data" {
		inner := render.Object{
			{Key: "code", Value: code},
			{Key: "message", Value: e.Error()},
			{Key: "suggestion", Value: hint},
		}
		if synonyms := row.Code.Synonyms(); synonyms != nil {
			inner = append(inner, render.Member{Key: "aliases", Value: synonyms})
		}
		if e.Details == nil {
			e.Details = render.Object{}
		}
		meta.Timestamp = core.Stamp(f.Now())
		return f.hintedFailure(e, render.Object{
			{Key: "ok", Value: false},
			{Key: "error", Value: append(inner, ways(e)...)},
			{Key: "meta", Value: meta},
		})
	}
	doc := render.Object{
		{Key: "success", Value: false},
		{Key: "timestamp", Value: core.Stamp(f.Now())},
		{Key: "error", Value: e.Error()},
		{Key: "error_code", Value: code},
		{Key: "hint", Value: hint},
	}
	return f.hintedFailure(e, append(append(doc, ways(e)...), render.Member{Key: "_meta", Value: meta}))
}

// hintedFailure adds warnings to a failure, and what does less than what was refused.
func (f *Face) hintedFailure(e *core.Error, doc render.Object) render.Object {
	return hinted(doc, &registry.Reply{Hints: &registry.Hints{SaferAlternative: e.Safer, Warnings: f.Warnings}})
}

// ways returns the further content of an error: suggestions, actions and details, where there are any.
func ways(e *core.Error) render.Object {
	actions := e.Actions
	if actions == nil {
		actions = advice.Of(e.Code).Actions
	}
	var ways render.Object
	if len(e.Suggestions) > 0 {
		ways = append(ways, render.Member{Key: "suggestions", Value: modelled(e.Suggestions)})
	}
	if len(actions) > 0 {
		ways = append(ways, render.Member{Key: "actions", Value: modelled(actions)})
	}
	if e.Details != nil {
		ways = append(ways, render.Member{Key: "details", Value: bounded(modelled(e.Details))})
	}
	return ways
}

// bounded cuts the texts of a value in render's model.
func bounded(v any) any {
	switch value := v.(type) {
	case string:
		return core.Cut(value)
	case []any:
		for i := range value {
			value[i] = bounded(value[i])
		}
	case render.Object:
		for i := range value {
			value[i].Value = bounded(value[i].Value)
		}
	}
	return v
}

// modelled returns v in render's model. What cannot be encoded is replaced by a
// text that says so, for the frame must never fail.
func modelled(v any) any {
	value, err := render.Value(v)
	if err != nil {
		return "not encodable: " + strconv.Quote(err.Error())
	}
	if value == nil {
		return render.Object{}
	}
	return value
}
