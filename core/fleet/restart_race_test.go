package fleet_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
)

// revived is an actor whose program can be started anew.
type revived struct {
	*fleettest.ScriptedEngine
	started []string
	respawn func()
}

func (r *revived) Respawn(ctx context.Context, pane core.PaneID, launch engine.Launch) (engine.Location, error) {
	if r.respawn != nil {
		r.respawn()
	}
	if ctx.Err() == nil {
		r.started = append(r.started, launch.Argv[0])
	}
	return engine.Location{Pane: pane}, ctx.Err()
}

func newRevived() *revived {
	a := fleettest.NewScriptedEngine()
	a.Listing.Panes[0].Tags[engine.TagLaunch] = "/bin/cat -u"
	return &revived{ScriptedEngine: a}
}

func TestASmartRestartLosesNothingThatCameMeanwhile(t *testing.T) {
	for name, begins := range map[string]func(*fleettest.ScriptedEngine){
		"a question": func(a *fleettest.ScriptedEngine) { a.Dialog = true },
		"a draft":    func(a *fleettest.ScriptedEngine) { a.Draft = "half a thought" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRevived()
			synctest.Test(t, func(t *testing.T) {
				f := fleet.Open(fleet.Options{Engine: r, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
				held, err := f.Dir.LockPane(t.Context(), &core.Pane{ID: "%1"}, 0)
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Second, func() {
					r.Later(0, func() { begins(r.ScriptedEngine) })
					synctest.Wait()
					held.Release()
				})
				answer, err := f.Launcher.Restart(t.Context(), lifecycle.RestartRequest{Target: api1, Smart: true})
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
			<-time.After(3*time.Second + time.Second)
		}
		f := fleet.Open(fleet.Options{Engine: r, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
		_, err := f.Launcher.Restart(ctx, lifecycle.RestartRequest{Target: api1, NoWait: true})
		if len(r.started) != 2 || r.started[1] != "/bin/cat" {
			t.Errorf("started were %q: %v", r.started, err)
		}
	})
}
