package relay

import (
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
)

func TestAnAnswerFitsItsSchemaOrSaysWhyNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "schema.json")
	writeFile(t, path, `{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}`)
	schema, err := ReadSchema(path)
	if err != nil {
		t.Fatal(err)
	}
	for answer, fits := range map[string]bool{
		`{"ok":true}`: true, "```json\n{\"ok\":false}\n```": true, "{\"ok\":true,\"more\":1}\n": true,
		`{"ok":"yes"}`: false, `{}`: false, `yes`: false, ``: false, "```python\n{\"ok\":true}\n```": false,
		"Here you go:\n\n```json\n{\"ok\":true}\n```\nAsk for more.":              true,
		"Either:\n```json\n{\"ok\":true}\n```\nor:\n```json\n{\"ok\":false}\n```": false,
	} {
		if value, err := schema.Read(answer); (err == nil) != fits || (value != nil) != fits {
			t.Errorf("%q is %v, %v", answer, value, err)
		}
	}
	for _, endless := range []string{
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"$defs":{"a":{"not":{"$ref":"#/$defs/a"}}}}`,
		`{"anyOf":[{"allOf":[{"$ref":"#/anyOf/0"}]}]}`, `{"$ref":"https://example.com/x"}`,
		strings.Repeat(`{"not":`, 300) + "true" + strings.Repeat("}", 300),
	} {
		writeFile(t, path, endless)
		if _, err := ReadSchema(path); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("the schema %.60s: %v", endless, err)
		}
	}
	writeFile(t, path, `{"$defs":{"tree":{"properties":{"not":{"$ref":"#/$defs/tree"}}}},"$ref":"#/$defs/tree"}`)
	if _, err := ReadSchema(path); err != nil {
		t.Errorf("a tree is refused: %v", err)
	}
	writeFile(t, path, `{"properties":{"type":{"type":"string","enum":["objekt"]}},"default":{"type":"objekt"}}`)
	if _, err := ReadSchema(path); err != nil {
		t.Errorf("a property that is called type is refused: %v", err)
	}
	for text, code := range map[string]core.Code{
		"{": core.InvalidInput, `{"type":5}`: core.InvalidInput,
		`{"type":"objekt"}`: core.InvalidInput, `{"properties":{"a":{"type":["null","text"]}}}`: core.InvalidInput,
	} {
		writeFile(t, path, text)
		if _, err := ReadSchema(path); !core.AsError(err).HasCode(code) {
			t.Errorf("the schema %q: %v", text, err)
		}
	}
	if _, err := ReadSchema(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a schema that is not there is read")
	}
}
