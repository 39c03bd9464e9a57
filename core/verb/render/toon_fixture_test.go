package render

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// fixture is one case of the TOON specification's conformance suite.
type fixture struct {
	Name        string          `json:"name"`
	Input       json.RawMessage `json:"input"`
	Expected    json.RawMessage `json:"expected"`
	ShouldError bool            `json:"shouldError"`
	Options     struct {
		Delimiter  string `json:"delimiter"`
		IndentSize int    `json:"indentSize"`
		Strict     *bool  `json:"strict"`
	} `json:"options"`
}

// fixtures runs check for every case of a folder of the suite.
func fixtures(t *testing.T, folder string, check func(*testing.T, fixture)) {
	t.Helper()
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	paths, err := filepath.Glob(filepath.Join(data, "toon", folder, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s/toon/%s: %v", data, folder, err)
	}
	ran := 0
	for _, path := range paths {
		var file struct{ Tests []fixture }
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, f := range file.Tests {
			ran++
			t.Run(filepath.Base(path)+"/"+f.Name, func(t *testing.T) { check(t, f) })
		}
	}
	t.Logf("%d fixtures", ran)
}

func TestTOONPassesEveryEncodeFixture(t *testing.T) {
	fixtures(t, "encode", func(t *testing.T, f fixture) {
		if n := f.Options.IndentSize; n != 0 && n != 2 || f.Options.Delimiter != "" && f.Options.Delimiter != "," {
			t.Skip("a form that is not written")
		}
		var want string
		if err := json.Unmarshal(f.Expected, &want); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := TOON(&got, f.Input); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Errorf("got\n%s\nwant\n%s", got.String(), want)
		}
	})
}

func TestDecoderPassesEveryDecodeFixture(t *testing.T) {
	fixtures(t, "decode", func(t *testing.T, f fixture) {
		o := decodeOptions{indent: f.Options.IndentSize}
		o.lenient = f.Options.Strict != nil && !*f.Options.Strict
		var text string
		if err := json.Unmarshal(f.Input, &text); err != nil {
			t.Fatal(err)
		}
		got, err := decodeTOON(text, o)
		if f.ShouldError {
			if err == nil {
				t.Fatalf("decoded to %v, want an error", got)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := Value(f.Expected)
		if err != nil {
			t.Fatal(err)
		}
		if !sameOrdered(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
