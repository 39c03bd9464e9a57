package verbs

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/verb/catalog"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// twoAgents is the engine of verbtest with a second agent, api.2, in the session of the first.
type twoAgents struct{ verbtest.Server }

func (s *twoAgents) List(ctx context.Context, detail engine.Detail) (engine.Listing, error) {
	listing, err := s.Server.List(ctx, detail)
	at := slices.IndexFunc(listing.Panes, func(pane engine.Pane) bool { return pane.ID == "%1" })
	second := listing.Panes[at]
	second.ID, second.Window.ID = "%3", "@3"
	second.Tags = map[string]string{
		engine.TagRole: "agent", engine.TagKind: "stub", engine.TagName: "st_2", engine.TagOrdinal: "2",
		engine.TagLaunch: "sh -i",
	}
	listing.Panes = slices.Insert(listing.Panes, at+1, second)
	listing.Sessions[0].Tags = map[string]string{engine.TagOrigin: "spawn", engine.TagNext: "3"}
	return listing, err
}

// ownPaneTaken are verbs that act and take the caller's own pane, or its session, all the same, with the reason.
var ownPaneTaken = map[string]string{
	"kind-record":   "nothing is typed: it only looks at the pane",
	"add":           "it starts another pane",
	"adopt":         "an agent may say what it is",
	"bead-claim":    "the pane is the claim's owner",
	"bead-close":    "nothing goes to the pane",
	"bead-create":   "nothing goes to the pane",
	"budget-set":    "a ceiling counts for the session",
	"checkpoint":    "it is read",
	"diagnose":      "without --fix it looks, and what it mends needs no answer",
	"dismiss-alert": "an alert is dismissed, the pane is left alone",
	"label":         "a label is for those who look",
	"pipeline-run":  "each step is a call of its own",
	"rename":        "a name is for those who look",
	"save":          "it is read",
	"spawn":         "it starts other panes",
}

// namesPanes are the inputs of a verb that acts, or waits, by which panes are named.
func namesPanes(v *registry.Verb) []*registry.Field {
	if v.Local || v.Level == registry.Reads {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Fields()), func(f *registry.Field) bool {
		return f.Means != registry.MeansSession
	})
}

// TestTheCallersOwnPaneIsNoTarget names the pane of the caller to every verb that acts on panes: alone, it is refused;
// among others, it is left out.
func TestTheCallersOwnPaneIsNoTarget(t *testing.T) {
	kept, taken := 0, map[string]bool{}
	for _, v := range catalog.All().Verbs {
		inputs := namesPanes(v)
		if len(inputs) == 0 && v.Name != "broadcast" {
			continue
		}
		ask := func(session string) (string, core.Code) {
			s, env := borderedOn(t, &twoAgents{}, v, registry.Border{Level: registry.Destroys, Commands: true})
			env.OwnPane = func(context.Context) core.PaneID { return "%1" }
			if v == checkpoints.Replay {
				withPrompt(t, env)
			}
			input := callOf(t, v)
			for _, field := range inputs {
				input[field.Name] = session
			}
			if len(inputs) == 0 && session == "api.1" {
				input["panes"] = []any{session}
			}
			delete(input, "wait")
			for _, name := range []string{"dry-run", "yes"} {
				if v.Field(name) != nil {
					input[name] = true
				}
			}
			if v.Name == "wait" {
				input["timeout"] = "10ms"
			}
			return asked(t, s, v, input)
		}
		out, code := ask("api.1")
		refused := code == core.PermissionDenied && strings.Contains(out, "the caller's own pane")
		if ownPaneTaken[v.Name] != "" {
			taken[v.Name] = !refused
			continue
		}
		kept++
		if !refused {
			t.Errorf("%s api.1: %q: %s", v.Name, code, out)
		}
		out, code = ask("api")
		if strings.Contains(out, `"%1"`) || code == core.PermissionDenied {
			t.Errorf("%s api: %q: %s", v.Name, code, out)
		}
		if !strings.Contains(out, `"%3"`) && code != core.NotReady { // none of them is idle
			t.Errorf("%s api leaves the other agent out: %q: %s", v.Name, code, out)
		}
	}
	for name := range ownPaneTaken {
		if !taken[name] {
			t.Errorf("%s needs no excuse", name)
		}
	}
	if kept < 12 {
		t.Errorf("only %d verbs were tried", kept)
	}
}

// withPrompt puts a prompt on record that went to both agents of a session.
func withPrompt(t *testing.T, env *verb.Env) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cupola.db")
	open := func(ctx context.Context) (*store.Store, error) { return store.Open(ctx, path, store.Options{}) }
	env.OpenStore, env.OpenForWriting = open, open
	records, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	prompt := core.NewPrompt("send", "hello",
		core.PaneRef{Session: "api", Ordinal: 1, Pane: "%1"}, core.PaneRef{Session: "api", Ordinal: 2, Pane: "%3"})
	prompt.ID, prompt.At, prompt.Server = core.NewPromptID(verbtest.Noon), verbtest.Noon, "/s"
	if err := store.PromptsIn(records).Save(t.Context(), *prompt); err != nil {
		t.Fatal(err)
	}
}
