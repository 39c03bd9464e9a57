// Package runs has the verbs that list runs of all kinds and act on them. What a run of one kind does beside that is in
// the packages of the kinds.
package runs

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/text/near"
	"cupola/core/verb"
	"cupola/core/verb/crews"
	"cupola/core/verb/pipelines"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/stories"
)

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	runList, runShow, runLogs, runFollow, runWait, runPause, runResume, runCancel, runDelete, runPrune,
}

// OfRun names a run.
type OfRun struct {
	Run string `arg:"1" required:"true" lister:"run-list" names:"record" help:"The run: its id, or its name for the newest run with that name"`
}

// codes are the errors that all verbs of runs can have.
var codes = []core.Code{
	core.NotFound, core.IOError, core.PermissionDenied, core.DecodeFailed, core.StoreError, core.StoreLocked,
	core.MigrationFailed,
}

// actCodes are the codes of verbs that act on a run.
var actCodes = append([]core.Code{core.Ambiguous, core.Conflict, core.Timeout}, codes...)

// controlOf is how the runs of a kind are acted on.
func controlOf(env *verb.Env, kind run.Kind) *run.Control {
	switch kind {
	case run.Crew:
		return crews.Control(env)
	case run.Story:
		return stories.Control(env)
	case run.Pipeline:
		return pipelines.Control(env)
	}
	return relays.Control(&env.Local)
}

// find returns the run that a word names: the one with the id, or else the newest with the name.
func find(env *verb.Env, word string) (run.Head, error) {
	named, _, err := env.Runs.List(run.Filter{Name: word})
	if err != nil {
		return run.Head{}, err
	}
	for i := range named {
		if named[i].ID == word {
			return named[i].Head, nil
		}
	}
	if len(named) == 0 {
		return run.Head{}, unknown(env, word)
	}
	return named[0].Head, nil
}

// findTo is find for an act that brings a run into a state: of several runs with a name it is the only one that may get
// there.
func findTo(env *verb.Env, word string, into run.State) (run.Head, error) {
	found, err := find(env, word)
	if err != nil || found.ID == word {
		return found, err
	}
	named, _, err := env.Runs.List(run.Filter{Name: word})
	if err != nil {
		return found, err
	}
	may := slices.DeleteFunc(named, func(r run.Row) bool { return !r.State.May(into) })
	switch len(may) {
	case 0:
		return found, nil
	case 1:
		return may[0].Head, nil
	}
	e := core.Errorf(core.Ambiguous, "%s have the name %s", verb.Plural(len(may), "run"), word)
	for i := range may {
		e.Suggestions = append(e.Suggestions, may[i].ID)
	}
	return found, e
}

// mostSimilar is how many runs an unknown word is compared with.
const mostSimilar = 500

func unknown(env *verb.Env, word string) error {
	newest, _, err := env.Runs.List(run.Filter{Limit: mostSimilar})
	if err != nil {
		return err
	}
	var words []string
	for i := range newest {
		words = append(words, newest[i].ID)
		if name := newest[i].Name; name != "" && !slices.Contains(words, name) {
			words = append(words, name)
		}
	}
	e := core.Errorf(core.NotFound, "no run is called %q", word)
	e.Suggestions, e.Slip = near.Words(word, words), core.Slip{Word: word}
	e.Remedies = []core.Remedy{core.RemedyListAllRuns}
	return e
}

// helped adds to a conflict the command that shows the run.
func helped(err error, id string) error {
	e := core.AsError(err)
	if e.HasCode(core.Conflict) && len(e.Remedies) == 0 {
		e.Remedies, e.Subject = []core.Remedy{core.RemedyShowAnyRun}, core.Subject{Run: id}
	}
	return err
}

// get finds a run, and brings it into a state.
func get(ctx context.Context, env *verb.Env, word string, into run.State) (run.Head, error) {
	found, err := findTo(env, word, into)
	if err != nil {
		return run.Head{}, err
	}
	h, err := controlOf(env, found.Kind).Get(ctx, found.ID, into)
	return h, helped(err, found.ID)
}
