package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cupola/core/verb/catalog"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/host"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/core/verb/verbtest"
	"cupola/robot"
	"cupola/robot/frames"
	"cupola/robot/service"
)

// The names and the help of inputs that reach beyond Cupola.
var (
	borderName = regexp.MustCompile(`(^|-)(files?|dirs?|path|repo|repository|folder|output|export|tasks|issues|schema|` +
		`cmd|command|verify|setup|editor|program|preset|recipe|template|screen|workspace|project|worktrees?|cert|key|` +
		`sessions?|panes?|exclude|skip|confine)$`)
	borderHelp = regexp.MustCompile(`(?i)\b(files?|folder|director(y|ies)|path|command lines?|program)\b`)
	borderPath = regexp.MustCompile(`^(\.{0,2}/|~)|\.(md|toml|json|txt|go|pem)$`)
)

// plainInputs are inputs whose name or help sounds like a border although they are none, with the reason.
var plainInputs = map[string]string{
	"crew-run dashboard-url":  "taken, and not used",
	"plugin-install confine":  "what a server that others start may see; nothing of these sessions is read or changed",
	"changes lines":           "lines that must be in the difference as they are given",
	"explain command":         "what a recorded screen showed; nothing is run",
	"dcg-check command":       "judged, not run",
	"relay sandbox":           "the name of a mode or of a section of the settings",
	"config-edit file":        "a file of the configuration folder alone; the verb destroys",
	"config-get key":          "the name of a setting",
	"config-show key":         "the name of a setting",
	"config-set key":          "the name of a setting",
	"impact threshold":        "a share of changes",
	"search project":          "compared with folders on record; nothing is opened",
	"relations threshold":     "a share of changes",
	"crew-save name":          "a name in the folder of recipes; one with a slash is refused",
	"slb-approve slb-key":     "a secret",
	"slb-approve slb-session": "the tool's own session",
	"slb-deny slb-key":        "a secret",
	"slb-deny slb-session":    "the tool's own session",
	"spawn model":             "a name that the agent's program knows",
	"add model":               "a name that the agent's program knows",
	"restore dir":             "the folders of recorded panes, which are admitted as a spawn is",
}

// TestInputsThatReachBeyondCupolaHaveATypeThatSaysSo goes over all inputs of all verbs: one that is called like a path,
// a program or a session, whose help speaks of a file, or whose examples give a path, says what its value names.
func TestInputsThatReachBeyondCupolaHaveATypeThatSaysSo(t *testing.T) {
	seen, excused := 0, map[string]bool{}
	for _, v := range allVerbs().Verbs {
		for _, field := range v.Fields() {
			if field.Type != "string" && field.Type != "list" || len(field.Enum) > 0 {
				continue
			}
			seen++
			name := v.Name + " " + field.Name
			suspect := borderName.MatchString(field.Name) || borderHelp.MatchString(field.Help)
			for _, example := range v.Examples() {
				for _, given := range registry.Values(v, exampleOf(t, v, example)) {
					text, _ := given.Value.(string)
					suspect = suspect || given.Name == field.Name && borderPath.MatchString(text)
				}
			}
			switch _, is := plainInputs[name]; {
			case !suspect || field.Means != "":
			case is:
				excused[name] = true
			default:
				t.Errorf("%s: %q: give it a type of package registry (ReadPath, WritePath, Program ...), a tag names, "+
					"or a row in plainInputs", name, field.Help)
			}
		}
	}
	for name := range plainInputs {
		if !excused[name] {
			t.Errorf("%s needs no excuse", name)
		}
	}
	if seen < 200 {
		t.Errorf("only %d inputs were seen", seen)
	}
}

// bordered is a service on a stage of a verb, for clients with a border. Its paths are in the folder of the project.
func bordered(t *testing.T, v *registry.Verb, border registry.Border) (*service.Service, *verb.Env) {
	t.Helper()
	return borderedOn(t, &verbtest.Server{}, v, border)
}

func borderedOn(t *testing.T, s engine.Engine, v *registry.Verb, border registry.Border) (*service.Service, *verb.Env) {
	t.Helper()
	env := verbtest.Staged(t, s, catalog.All(), v)
	border.Dir, border.Project, border.Asking = env.Dir, env.Dir, "this server"
	of := serviceOf(func() *robot.Face {
		return &robot.Face{
			Env: env, Started: verbtest.Noon, Now: func() time.Time { return verbtest.Noon },
			Revision: func() core.Revision { return 0 },
		}
	})
	of.Border = border
	return of, env
}

// callOf are the inputs of the first example of a verb, without what would wait or run on.
func callOf(t *testing.T, v *registry.Verb) map[string]any {
	t.Helper()
	input := map[string]any{}
	for _, given := range registry.Values(v, exampleOf(t, v, v.Examples()[0])) {
		input[given.Name] = given.Value
		if list, is := given.Value.([]string); is {
			items := make([]any, len(list))
			for i := range list {
				items[i] = list[i]
			}
			input[given.Name] = items
		}
	}
	delete(input, "background")
	delete(input, "dry-run")
	return input
}

// asked answers a call within a moment.
func asked(t *testing.T, s *service.Service, v *registry.Verb, input map[string]any) (string, core.Code) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	var out strings.Builder
	line := func(line render.Object) error { return render.JSON(&out, line, false) }
	answer := s.Run(ctx, &service.Call{Verb: v.Name, Input: input}, line)
	if err := line(answer.Document); err != nil {
		t.Error(err)
	}
	return out.String(), answer.Code
}

// valueFor is a value as an input of a type takes it.
func valueFor(field *registry.Field, value string) any {
	if field.Type == "list" {
		return []any{value}
	}
	return value
}

// TestNoInputReachesBeyondTheProjectWithoutCommands puts the path of a secret, of a file that is not there, and a
// program into every text that any verb takes, for clients who may do everything but that.
func TestNoInputReachesBeyondTheProjectWithoutCommands(t *testing.T) {
	const marker = "MARKER-7F31"
	for _, v := range allVerbs().Verbs {
		if v.Local || v.Streams {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			away := t.TempDir()
			secret := filepath.Join(away, "secret.md")
			fresh, ran := filepath.Join(away, "fresh"), filepath.Join(away, "ran")
			text := "- [ ] 1.1 " + marker + " {id}\n# " + marker + "\n[[step]]\nname=\"" + marker + "\"\n"
			if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, env := bordered(t, v, registry.Border{Level: registry.Destroys})
			link := filepath.Join(env.Dir, "link.md")
			if err := os.Symlink(secret, link); err != nil {
				t.Fatal(err)
			}
			for _, field := range v.Fields() {
				if field.Type != "string" && field.Type != "list" || len(field.Enum) > 0 {
					continue
				}
				for _, value := range []string{
					secret, fresh, "link.md", "touch " + ran, "../../../../../../../../" + secret,
				} {
					input := callOf(t, v)
					input[field.Name] = valueFor(field, value)
					if needsLiveFleet(v, v.Examples()[0]) && v.Field("dry-run") != nil {
						input["dry-run"] = true // the fleet of these tests takes no prompts
					}
					for _, force := range []string{"force", "yes"} {
						if v.Field(force) != nil {
							input[force] = true
						}
					}
					out, _ := asked(t, s, v, input)
					if strings.Contains(out, marker) {
						t.Errorf("%s=%s shows the file: %s", field.Name, value, out)
					}
					for _, made := range []string{fresh, ran} {
						if _, err := os.Stat(made); err == nil {
							t.Fatalf("%s=%s made %s", field.Name, value, made)
						}
					}
					if now, err := os.ReadFile(secret); err != nil || string(now) != text {
						t.Fatalf("%s=%s changed the file: %q %v", field.Name, value, now, err)
					}
				}
			}
		})
	}
}

// TestCallersWhoMayOnlyReadChangeNothing gives every verb to clients who may only read, on every face: its example,
// with every path, and its dry run. Nothing below the folders of the call changes.
func TestCallersWhoMayOnlyReadChangeNothing(t *testing.T) {
	var refused atomic.Int32
	t.Cleanup(func() {
		if refused.Load() < 50 {
			t.Errorf("only %d verbs act", refused.Load())
		}
	})
	for _, v := range allVerbs().Verbs {
		if v.Local || v.Streams {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s, env := bordered(t, v, registry.Border{Level: registry.Reads, Commands: true})
			before := stateOf(t, env)
			try := func(change func(input map[string]any), want core.Code) {
				input := callOf(t, v)
				change(input)
				text, code := asked(t, s, v, input)
				if want != "" && code != want {
					t.Errorf("%v: %q: %s", input, code, text)
				}
				now := stateOf(t, env)
				for path, was := range before {
					if now[path] != was {
						t.Errorf("%v changed %s", input, path)
					}
				}
				for path := range now {
					if _, was := before[path]; !was {
						t.Errorf("%v made %s", input, path)
					}
				}
			}
			zero, err := registry.Fill(v, callOf(t, v))
			if err != nil {
				t.Fatal(err)
			}
			acts := v.Effect != registry.Reads && !registry.OnlyShows(v, zero)
			want := core.Code("")
			if acts {
				want = core.PermissionDenied
				refused.Add(1)
				askEveryFace(t, s, v, callOf(t, v))
			}
			try(func(map[string]any) {}, want)
			for _, field := range v.Fields() {
				switch field.Means {
				case registry.MeansWritePath, registry.MeansReadPath, registry.MeansScript:
					try(func(input map[string]any) { input[field.Name] = valueFor(field, "in-the-project.md") },
						core.PermissionDenied)
				}
			}
			if v.Field("dry-run") != nil && !needsLiveFleet(v, v.Examples()[0]) {
				try(func(input map[string]any) { input["dry-run"] = true }, "")
			}
		})
	}
}

// stateOf returns the content of the folders of an environment: the text of each file by its path.
func stateOf(t *testing.T, env *verb.Env) map[string]string {
	t.Helper()
	state := map[string]string{}
	for _, top := range []string{env.Dir, env.Paths.Config, env.Paths.Data, env.Paths.State} {
		err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
			// Git refreshes its index where it only looks, and a database its log.
			if err != nil || strings.Contains(path, "/.git/") || strings.HasSuffix(path, "-wal") ||
				strings.HasSuffix(path, "-shm") {
				return nil //nolint:nilerr // what is gone meanwhile has no state
			}
			state[path] = "a folder"
			if entry.Type().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				state[path] = string(text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// TestConfinedCallersSeeNothingOfOtherSessions gives every verb to clients who are confined to one session.
func TestConfinedCallersSeeNothingOfOtherSessions(t *testing.T) {
	var admitted atomic.Int32
	t.Cleanup(func() {
		if admitted.Load() < 40 {
			t.Errorf("only %d verbs were admitted", admitted.Load())
		}
	})
	for _, v := range allVerbs().Verbs {
		if v.Local || v.Streams {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s, _ := bordered(t, v, registry.Border{
				Level: registry.Destroys, Commands: true, Sessions: []string{"api"},
			})
			about := slices.ContainsFunc(v.Fields(), func(f *registry.Field) bool {
				return f.Means == registry.MeansSession
			})
			input := callOf(t, v)
			if v.Field("dry-run") != nil {
				input["dry-run"] = true
			}
			out, code := asked(t, s, v, input)
			switch {
			case !about && !v.Sessionless && code != core.PermissionDenied:
				t.Errorf("it takes no session and is not refused: %q %s", code, out)
			case code != core.PermissionDenied:
				admitted.Add(1)
			}
			if showsOther(t, out) {
				t.Errorf("it shows the other session: %s", out)
			}
			for _, field := range v.Fields() {
				names := []string{"web", "web.1", "%2", "web:0.0", "=web", "$2"}
				switch field.Means {
				case registry.MeansSession, registry.MeansNewSession:
				case registry.MeansPanes:
					names = names[1:5]
				case registry.MeansRecord, registry.MeansAlert, registry.MeansSessions:
					names = names[:1]
				default:
					continue
				}
				for _, name := range names {
					input := callOf(t, v)
					input[field.Name] = valueFor(field, name)
					if out, code := asked(t, s, v, input); code != core.PermissionDenied {
						t.Errorf("%s=%s is not refused: %s", field.Name, name, out)
					}
				}
			}
		})
	}
}

// showsOther reports whether a document names the session web, outside of what help says in examples.
func showsOther(t *testing.T, text string) bool {
	t.Helper()
	var document map[string]any
	if json.Unmarshal([]byte(text), &document) != nil {
		return strings.Contains(text, `"web`)
	}
	delete(document, "next_actions")
	delete(document, "hint")
	var walk func(any) bool
	walk = func(value any) bool {
		switch value := value.(type) {
		case string:
			return value == "web" || strings.HasPrefix(value, "web.") || value == "%2"
		case []any:
			return slices.ContainsFunc(value, walk)
		case map[string]any:
			for _, inner := range value {
				if walk(inner) {
					return true
				}
			}
		}
		return false
	}
	return walk(document)
}

// askEveryFace gives a verb that acts to a client who may only read, on every face.
func askEveryFace(t *testing.T, s *service.Service, v *registry.Verb, input map[string]any) {
	t.Helper()
	for face, text := range map[string]string{
		"HTTP": overHTTP(t, s, v, input), "MCP": overMCP(t, s, v, input), "another host": overLink(t, s, v, input),
	} {
		if !strings.Contains(text, string(core.PermissionDenied)) {
			t.Errorf("%s: %s", face, text)
		}
	}
}

// overLink answers a call of another host.
func overLink(t *testing.T, s *service.Service, v *registry.Verb, input map[string]any) string {
	t.Helper()
	frame, err := json.Marshal(host.Request{ID: 1, Verb: v.Name, Input: input, Form: host.Document})
	if err != nil {
		t.Fatal(err)
	}
	server := &frames.Server{
		Service: s, Records: frames.Records{Dir: t.TempDir()},
		Hello: func() host.Hello { return host.NewHello("test", "other") },
	}
	var out bytes.Buffer
	if err := server.Serve(t.Context(), bytes.NewReader(append(frame, '\n')), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
