package dashboard

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core/git/forge"
	"cupola/tui/screen"
)

func TestPullRequestsAreAskedForBesideAndSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		p := &pulls{known: map[pullKey]pullKnown{}, ask: func(_ context.Context, root, _ string) *forge.Pull {
			time.Sleep(20 * time.Second) // a forge that is slow
			asked[root]++
			if root == "/none" {
				return nil
			}
			return &forge.Pull{Number: 12 + asked[root]}
		}}
		read := func() map[string]screen.Work {
			trees := map[string]screen.Work{
				"/api": {Root: "/api", Branch: "fix"}, "/none": {Root: "/none", Branch: "main"},
				"/detached": {Root: "/detached"},
			}
			began := time.Now()
			p.complete(t.Context(), trees)
			if time.Since(began) > 0 {
				t.Error("the forge was waited for")
			}
			return trees
		}
		if got := read()["/api"].Pull; got != nil {
			t.Errorf("at first it is %+v", got)
		}
		for range 60 { // a minute
			time.Sleep(time.Second)
			read()
		}
		synctest.Wait()
		if got := read()["/api"].Pull; got == nil || got.Number != 13 || asked["/api"] != 1 || asked["/none"] != 1 {
			t.Errorf("it is %+v, asked %v", got, asked)
		}
		time.Sleep(pullsEvery)
		read()
		time.Sleep(time.Minute)
		got := read()["/api"].Pull
		if got == nil || got.Number != 14 || asked["/none"] != 1 || asked["/detached"] != 0 {
			t.Errorf("later it is %+v, asked %v", got, asked)
		}
	})
}
