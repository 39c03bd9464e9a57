package conversation_test

import "testing"

func TestAnAgentsOwnSessionBelongsToItsShape(t *testing.T) {
	f, _ := claudes(t)
	shape, err := f.Launcher.Shape(t.Context(), "api")
	if err != nil {
		t.Fatal(err)
	}
	if got := shape.Recipe[0]; got.Kind != "claude" || got.Resume != "97d00d8d-7622-409d-b050-030c7f05e704" ||
		shape.Recipe[1].Resume != "" {
		t.Errorf("got %+v", shape.Recipe)
	}
}
