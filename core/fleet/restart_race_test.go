package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// revived is an actor whose program can be started anew.
type revived struct {
	*actor
	started []string
	respawn func()
}

func (r *revived) Respawn(ctx context.Context, pane core.PaneID, launch engine.Launch) (engine.Place, error) {
	if r.respawn != nil {
		r.respawn()
	}
	if ctx.Err() == nil {
		r.started = append(r.started, launch.Argv[0])
	}
	return engine.Place{Pane: pane}, ctx.Err()
}

func newRevived() *revived {
	a := newActor()
	a.listing.Panes[0].Tags[engine.TagLaunch] = "/bin/cat -u"
	return &revived{actor: a}
}

func TestASmartRestartLosesNothingThatCameMeanwhile(t *testing.T) {
	for name, begins := range map[string]func(*actor){
		"a question": func(a *actor) { a.dialog = true },
		"a draft":    func(a *actor) { a.draft = "half a thought" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRevived()
			synctest.Test(t, func(t *testing.T) {
				f := Open(Options{Engine: r, Kinds: kindsOf(t, stub)})
				held, err := f.holdPane(t.Context(), &core.Pane{ID: "%1"}, 0)
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Second, func() {
					r.later(0, func() { begins(r.actor) })
					synctest.Wait()
					held.release()
				})
				answer, err := f.Restart(t.Context(), RestartRequest{Target: api1, Smart: true})
				if err != nil || len(answer) != 1 || !answer[0].Skipped || len(r.started) > 0 {
					t.Errorf("%+v, %v; started were %q", answer, err, r.started)
				}
			})
		})
	}
}

func TestARestartThatIsCancelledLeavesAnAgent(t *testing.T) {
	r := newRevived()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r.respawn = func() {
			cancel()
			<-time.After(grace + time.Second)
		}
		f := Open(Options{Engine: r, Kinds: kindsOf(t, stub)})
		_, err := f.Restart(ctx, RestartRequest{Target: api1, NoWait: true})
		if len(r.started) != 2 || r.started[1] != "/bin/cat" {
			t.Errorf("started were %q: %v", r.started, err)
		}
	})
}
