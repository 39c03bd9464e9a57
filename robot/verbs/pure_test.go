package verbs

import (
	"os/exec"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core/verb/catalog"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestAgeIsInLargestFittingUnit(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", -time.Second: "0s",
	} {
		if got := report.Age(verbtest.Noon.Add(-ago), verbtest.Noon); got != want {
			t.Errorf("%v: got %s, want %s", ago, got, want)
		}
	}
	if got := report.Age(time.Time{}, verbtest.Noon); got != "" {
		t.Errorf("of no time: %s", got)
	}
}

func TestDestructiveToolsNeedConsent(t *testing.T) {
	known := bridge.Open(fstest.MapFS{"vault.toml": {Data: []byte(`
gives = "keeps secrets"
[action.purge]
short = "Delete a secret"
effect = "destroys"
takes = ["id"]
argument = "id"
argv = [["purge", "{id}"]]
map = "{}"
example = [{ id = "old" }]
`)}}, exec.LookPath)
	verbs := catalog.With(known)
	v := verbs.Find("vault-purge")
	in, err := registry.Fill(v, map[string]any{"id": "my key"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why  string
		env  *verb.Env
		code core.Code
	}{
		{
			"a program that says nothing",
			&verb.Env{Local: verb.Local{Caller: registry.Caller{Catalog: verbs}, Bridges: known}},
			core.MissingRequired,
		},
		{
			"a person who does not agree",
			&verb.Env{Local: verb.Local{Bridges: known, Caller: registry.Caller{Confirm: func(string) (bool, error) {
				return false,
					nil
			}}}},
			core.Cancelled,
		},
		{
			"a person who agrees",
			&verb.Env{Local: verb.Local{Bridges: known, Caller: registry.Caller{
				Confirm: func(asked string) (bool, error) { return asked == "Delete a secret?", nil },
			}}},
			core.ToolNotFound,
		},
	} {
		_, err := v.Call(t.Context(), test.env, in, nil)
		if !core.AsError(err).HasCode(test.code) {
			t.Errorf("%s: got %v", test.why, err)
		}
		if want := []string{"cupola vault-purge --id='my key' --yes"}; test.code == core.MissingRequired &&
			!slices.Equal(core.AsError(err).Actions, want) {
			t.Errorf("actions %q, want %q", core.AsError(err).Actions, want)
		}
	}
}

func TestNumbersAreRounded(t *testing.T) {
	for _, test := range []struct {
		n      float64
		digits int
		want   string
	}{{0.93 + 0.03, 2, "0.96"}, {0.1 + 0.2, 1, "0.3"}, {-1, 1, "-1"}, {1e-7, 4, "0"}, {2.00005, 4, "2.0001"}} {
		if got := jsonOf(verb.Rounded(test.n, test.digits)); got != test.want {
			t.Errorf("%v to %d digits is %s", test.n, test.digits, got)
		}
	}
}
