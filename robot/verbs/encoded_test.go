package verbs

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/robot/service"
)

// counted counts how often it is encoded.
type counted struct{ times *atomic.Int32 }

// MarshalJSON counts.
func (c counted) MarshalJSON() ([]byte, error) {
	c.times.Add(1)
	return []byte(`"told"`), nil
}

type countedOut struct {
	Value counted   `json:"value"`
	Rows  []counted `json:"rows"`
}

// TestEveryFaceEncodesAnAnswerOnce counts how often the values of one answer are encoded on its way to each reader.
func TestEveryFaceEncodesAnAnswerOnce(t *testing.T) {
	var times atomic.Int32
	tell := registry.Define(registry.Spec[*verb.Env, struct{}, countedOut]{
		Name: "tell", Short: "Tell a value", Effect: registry.Reads, Examples: []string{""}, List: "rows",
		Run: func(context.Context, *verb.Env, struct{}) (countedOut, error) {
			return countedOut{Value: counted{&times}, Rows: []counted{{&times}, {&times}}}, nil
		},
	})
	catalog := &registry.Catalog{Verbs: []*registry.Verb{tell}}
	faceOfTell := func() *robot.Face {
		face := faceOf(t, tell)
		face.Env = &verb.Env{Local: verb.Local{Caller: registry.Caller{Catalog: catalog, Version: "1.2.3"}}}
		return face
	}
	served := func() *service.Service {
		return &service.Service{
			Catalog: catalog, Border: registry.Border{Level: registry.Reads},
			Open: func(core.ProgressFunc) (*robot.Face, func()) { return faceOfTell(), func() {} },
		}
	}
	line := func(globals registry.Globals) func() string {
		return func() string {
			var out strings.Builder
			face := faceOfTell()
			face.Globals, face.Stdout, face.Stderr = globals, &out, &out
			face.Run(t.Context(), tell, tell.Zero())
			return out.String()
		}
	}
	for name, answer := range map[string]func() string{
		"a command line":              line(registry.Globals{}),
		"a command line, indented":    line(registry.Globals{Pretty: true}),
		"a command line, as TOON":     line(registry.Globals{Format: "toon"}),
		"a command line, filtered":    line(registry.Globals{JQ: ".value"}),
		"a command line, with a data": line(registry.Globals{Envelope: "data"}),
		"HTTP":                        func() string { return overHTTP(t, served(), tell, map[string]any{}) },
		"MCP":                         func() string { return overMCP(t, served(), tell, nil) },
	} {
		times.Store(0)
		const values = 3
		if text := answer(); !strings.Contains(text, "told") || times.Load() != values {
			t.Errorf("%s: %d values were encoded %d times: %s", name, values, times.Load(), text)
		}
	}
}
