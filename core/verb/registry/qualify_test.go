package registry

import (
	"encoding/json"
	"testing"
)

type rowAt struct {
	Session string `json:"session"`
}

type part struct {
	Rows []rowAt `json:"rows"`
}

type whole struct {
	part
	Other *rowAt            `json:"other"`
	By    map[string]*rowAt `json:"by"`
	Names []string          `json:"session_names"`
	Run   string            `json:"command"`
	own   string
}

// Names of sessions are qualified wherever JSON shows them, also in embedded structs whose types are not exported.
func TestNamesAreQualifiedWhereverTheyShow(t *testing.T) {
	in := whole{
		part: part{[]rowAt{{"api"}, {""}}}, Other: &rowAt{"web"}, By: map[string]*rowAt{"x": {"api"}},
		Names: []string{"api", "%3"}, Run: "cupola tail api",
		own: "api",
	}
	before, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(qualify("gpu1", in))
	const want = `{"rows":[{"session":"gpu1/api"},{"session":""}],"other":{"session":"gpu1/web"},` +
		`"by":{"x":{"session":"gpu1/api"}},` +
		`"session_names":["gpu1/api","%3"],"command":"cupola --host=gpu1 tail api"}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	if after, err := json.Marshal(in); err != nil || string(after) != string(before) {
		t.Errorf("what others have too was changed: %s, %v", after, err)
	}
}
