package work

import (
	"testing"

	"cupola/core/verb/verbtest"
)

func TestAssignSuggestsWaitForAllAgents(t *testing.T) {
	one := []assignment{{Address: "my api.1", Prompted: true}, {Address: "my api.2"}}
	for _, test := range []struct {
		out  assignOut
		want string
	}{
		{assignOut{Assignments: one}, "wait 'my api.1'"},
		{assignOut{Assignments: append(one, assignment{Address: "my api.3", Prompted: true})}, "wait 'my api'"},
		{assignOut{Assignments: one, DryRun: true}, ""},
	} {
		if got := verbtest.Commands(test.out.Next()); got != test.want {
			t.Errorf("%+v: %s, want %s", test.out, got, test.want)
		}
	}
}
