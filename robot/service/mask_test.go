package service

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"cupola/core/verb/render"
)

func TestACredentialIsMaskedWhereverAnAnswerHasIt(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("a1b2", 10)
	for where, line := range map[string]string{
		"a text":           `{"text":"GH_TOKEN=` + key + `"}`,
		"lines":            `{"lines":["one","GH_TOKEN=` + key + `","two"]}`,
		"wrapped lines":    `{"lines":["` + strings.Repeat("x", 20) + ` GH_TOKEN=` + key[:10] + `","` + key[10:] + `"]}`,
		"an error":         `{"success":false,"error":"x-api-key: ` + key + `","details":{"list":[{"said":"token=` + key + `"}]}}`,
		"coloured":         `{"text":"GH_TOKEN=` + key[:20] + `\u001b[31m` + key[20:] + `"}`,
		"a list in a list": `{"rows":[["a","PGPASSWORD=` + key + `"]]}`,
	} {
		value, err := render.Value(json.RawMessage(line))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := render.JSON(&out, cleaner{}.value(value), false); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, key[10:26]) || !strings.Contains(text, "[masked]") {
			t.Errorf("%s: %s", where, text)
		}
	}
}
