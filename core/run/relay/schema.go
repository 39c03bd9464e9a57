package relay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// maxSchema is the longest schema, in bytes.
const maxSchema = 200_000

// readSchema reads a file that must hold a JSON Schema.
func readSchema(path string) (json.RawMessage, error) {
	text, err := plainfile.Read(path, maxSchema)
	if err != nil {
		return nil, core.FileError("read the schema", err)
	}
	if !json.Valid(text) {
		return nil, core.Errorf(core.InvalidInput, "%s is no JSON", path)
	}
	return text, nil
}

// Schema judges answers.
type Schema struct {
	// Text is the schema as it was written.
	Text     json.RawMessage
	resolved *jsonschema.Resolved
}

// ReadSchema reads a schema of draft 7 or 2020-12, whose references stay inside the file.
func ReadSchema(path string) (*Schema, error) {
	text, err := readSchema(path)
	if err != nil {
		return nil, err
	}
	schema := &jsonschema.Schema{}
	if err := json.Unmarshal(text, schema); err != nil {
		return nil, core.Errorf(core.InvalidInput, "%s is no JSON Schema: %w", path, err)
	}
	if err := checkDepthOf(text); err != nil {
		return nil, core.Errorf(core.InvalidInput, "%s cannot be used: %w", path, err)
	}
	var parts any
	if err := json.Unmarshal(text, &parts); err != nil {
		return nil, core.Errorf(core.InvalidInput, "%s is no JSON Schema: %w", path, err)
	}
	if err := checkTypes(parts, false); err != nil {
		return nil, core.Errorf(core.InvalidInput, "%s is no JSON Schema: %w", path, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, core.Errorf(core.InvalidInput, "%s is no JSON Schema: %w", path, err)
	}
	return &Schema{text, resolved}, nil
}

// types are the types of JSON values.
var types = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// checkTypes returns an error for a type that no JSON value has, in any part of a schema. Named says that the keys are
// names, not keywords.
func checkTypes(node any, named bool) error {
	switch node := node.(type) {
	case []any:
		for _, below := range node {
			if err := checkTypes(below, false); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, below := range node {
			switch {
			case named:
			case key == "type":
				several, is := below.([]any)
				if !is {
					several = []any{below}
				}
				for _, one := range several {
					if name, is := one.(string); !is || !slices.Contains(types, name) {
						return fmt.Errorf("the type %v is none of %s", one, strings.Join(types, ", "))
					}
				}
				continue
			case slices.Contains([]string{"enum", "const", "default", "examples"}, key):
				continue
			}
			names := !named && slices.Contains([]string{
				"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies",
			}, key)
			if err := checkTypes(below, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// Read returns the JSON value of an answer, or why it does not fit.
func (s *Schema) Read(answer string) (any, error) {
	value, err := jsonOf(answer)
	if err != nil {
		return nil, err
	}
	if err := s.resolved.Validate(value); err != nil {
		return nil, fmt.Errorf("it does not fit the schema: %w", err)
	}
	return value, nil
}

// jsonOf reads the JSON of an answer, which may be in a fence of Markdown.
func jsonOf(answer string) (any, error) {
	var value any
	if err := json.Unmarshal([]byte(unfenced(answer)), &value); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	return value, nil
}

// unfenced returns the JSON of an answer: what a fence surrounds, if it is the only one, or else the whole.
func unfenced(answer string) string {
	text := strings.TrimSpace(answer)
	if before, rest, fenced := strings.Cut(text, "```json\n"); fenced && before != "" {
		body, after, closed := strings.Cut(rest, "\n```")
		if closed && !strings.Contains(before, "```") && !strings.Contains(after, "```") {
			return strings.TrimSpace(body)
		}
	}
	inner, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return text
	}
	first, rest, _ := strings.Cut(inner, "\n")
	if strings.TrimSpace(first) != "" && !strings.EqualFold(strings.TrimSpace(first), "json") {
		return text
	}
	if body, closed := strings.CutSuffix(strings.TrimSpace(rest), "```"); closed {
		return strings.TrimSpace(body)
	}
	return text
}

// Demand returns the addition to a prompt that demands an answer that fits.
func (s *Schema) Demand() string {
	return "Answer with one JSON value that fits this JSON Schema, and nothing else:\n" + string(s.Text)
}
