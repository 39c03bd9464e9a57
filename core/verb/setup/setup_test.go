package setup

import (
	"context"
	"slices"
	"testing"

	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestSetupRunsChosenSteps(t *testing.T) {
	for _, test := range []struct {
		why           string
		in            setupIn
		chosen        []string
		asked, inFile bool
	}{
		{"named and chosen", setupIn{Steps: []string{"config"}}, []string{"config"}, true, true},
		{"named and not chosen", setupIn{Steps: []string{"config"}}, nil, true, false},
		{
			"with consent no question is asked",
			setupIn{Steps: []string{"config"}, Consent: registry.Consent{Yes: true}},
			nil,
			false, true,
		},
		{"what cannot be done is not asked about", setupIn{Steps: []string{"tmux"}}, nil, false, false},
	} {
		env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
		var asked []string
		env.Choose = func(_ context.Context, choices []registry.Choice) ([]string, error) {
			for _, choice := range choices {
				asked = append(asked, choice.Name)
			}
			return test.chosen, nil
		}
		reply, err := setup.Call(t.Context(), env, test.in, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		out, _ := reply.Value.(setupOut)
		if slices.Equal(asked, []string{"config"}) != test.asked || len(asked) > 1 {
			t.Errorf("%s: asked about %q", test.why, asked)
		}
		if (out.Done == 1) != test.inFile {
			t.Errorf("%s: %d steps were done", test.why, out.Done)
		}
	}
}
