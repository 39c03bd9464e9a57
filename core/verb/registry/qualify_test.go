package registry

import (
	"encoding/json"
	"reflect"
	"testing"

	"cupola/core"
)

type rowAt struct {
	Session string `json:"session" names:"session"`
}

type part struct {
	Rows []rowAt `json:"rows"`
}

type whole struct {
	part
	Other *rowAt            `json:"other"`
	By    map[string]*rowAt `json:"by"`
	Names []string          `json:"session_names" names:"session"`
	Run   string            `json:"command" names:"command-line"`
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

type committed struct {
	Commit  string      `json:"commit" table:"COMMIT,code"`
	Subject string      `json:"subject"`
	Pane    core.PaneID `json:"pane"`
	By      []string    `json:"by" names:"session"`
	Do      string      `json:"do" names:"command"`
}

// The type of a member says what it names, not how it is called: the subject of a commit is no place.
func TestAHostsAnswerIsReadByTheTypeOfItsVerb(t *testing.T) {
	f := &Foreign{Host: "gpu1", Catalog: &Catalog{}}
	said := `{"commit":"4f1c2d","subject":"fix it","pane":"%1","by":["api.1","gpu1/api.2"],"do":"rm -rf ~","more":"api"}`
	safe, err := f.Document(json.RawMessage(said), reflect.TypeFor[committed]())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(safe)
	const want = `{"commit":"4f1c2d","subject":"fix it","pane":"gpu1/%1","by":["gpu1/api.1","gpu1/api.2"],"do":""}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}
