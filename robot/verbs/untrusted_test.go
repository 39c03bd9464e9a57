package verbs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/git/gittest"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestReadingVerbsRunNoRepositoryCode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	sprung := gittest.All.Lay(t, dir)
	tried := 0
	for _, v := range allVerbs().Verbs {
		if v.Streams || needsLiveFleet(v, v.Examples()[0]) && v.Name != "checkpoint" ||
			v.Effect != registry.Reads && v.Name != "checkpoint" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			env := stagedFor(t, &verbtest.Server{Dir: dir}, v)
			if v.Group == verb.GroupWork && v.Field("since") != nil {
				env.Dir = dir
			}
			in := exampleOf(t, v, v.Examples()[0])
			reply, err := v.Call(t.Context(), env, in, nil)
			if sprung() {
				t.Fatal("it ran the repository's program")
			}
			if slices.Contains([]string{"files", "diff", "summary", "checkpoint"}, v.Name) {
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
