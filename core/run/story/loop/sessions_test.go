package loop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
)

// TestAnAgentGetsItsSessionInItsEnvironment looks its session up by the variable, without the folder.
func TestAnAgentGetsItsSessionInItsEnvironment(t *testing.T) {
	t.Parallel()
	var sessions *agentsession.Directory
	w := newWorld(t, 2, func(ctx context.Context, a *asked) (string, error) {
		id, given := strings.CutPrefix(a.environ[0], "CUPOLA_STORY_SESSION=")
		s, err := sessions.Load(id)
		if !given || err != nil || s.Dir != a.dir || a.environ[1] != "CUPOLA_STORY="+s.Story || s.Story != a.story {
			t.Errorf("%q name %+v, %v", a.environ, s, err)
		}
		return honest(ctx, a)
	})
	sessions = &agentsession.Directory{Dir: t.TempDir(), Files: w.loop.Files, Now: time.Now}
	w.loop.Sessions = sessions
	r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done)
}
