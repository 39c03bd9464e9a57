package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/git/gittest"
	"cupola/robot/registry"
)

func TestReadingVerbsRunNoRepositoryCode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	sprung := gittest.All.Lay(t, dir)
	tried := 0
	for _, verb := range Catalog().Verbs {
		if verb.Streams || needsLiveFleet(verb, verb.Examples()[0]) && verb != keep ||
			verb.Effect != registry.Reads && verb != keep {
			continue
		}
		t.Run(verb.Name, func(t *testing.T) {
			env := stagedFor(t, &server{dir: dir}, verb)
			if verb.Group == groupWork && verb.Field("since") != nil {
				env.Dir = dir
			}
			in := exampleOf(t, verb, verb.Examples()[0])
			reply, err := verb.Call(t.Context(), env, in, nil)
			if sprung() {
				t.Fatal("it ran the repository's program")
			}
			if slices.Contains([]*registry.Verb{files, diff, digest, keep}, verb) {
				tried++
				if err != nil ||
					!slices.ContainsFunc(reply.Hints.Warnings,
						func(w string) bool {
							return strings.Contains(w, "git filter") && strings.Contains(w, "tracked")
						}) {
					t.Errorf("it does not say what it does not know: %+v, %v", reply, err)
				}
			}
		})
	}
	if tried != 4 {
		t.Errorf("of four verbs that show trees, %d were tried", tried)
	}
}
