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
	Other *rowAt   `json:"other"`
	Names []string `json:"session_names"`
	Run   string   `json:"command"`
	own   string
}

// Names of sessions are qualified wherever JSON shows them, also in embedded structs whose types are not exported.
func TestNamesAreQualifiedWhereverTheyShow(t *testing.T) {
	in := whole{
		part: part{[]rowAt{{"api"}, {""}}}, Other: &rowAt{"web"}, Names: []string{"api", "%3"}, Run: "cupola tail api",
		own: "api",
	}
	text, err := json.Marshal(qualify("gpu1", in))
	const want = `{"rows":[{"session":"gpu1/api"},{"session":""}],"other":{"session":"gpu1/web"},` +
		`"session_names":["gpu1/api","%3"],"command":"cupola --host=gpu1 tail api"}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}
