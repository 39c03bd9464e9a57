package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/relay/stream"
	"cupola/core/run/story"
	"cupola/core/verb/stories"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	"cupola/tui/screen/runs"
	shown "cupola/tui/screen/stories"
)

// todoListed has changes of every sort.
func todoListed() []stories.Todo {
	ago := func(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }
	todo := func(listed story.Listed, run string) stories.Todo {
		listed.Path = tasksOf(listed.Name)
		return stories.Todo{Listed: listed, Dir: "/src", Run: run}
	}
	japanese := todo(story.Listed{
		Name: "日本語の変更", StoriesDone: 1, StoriesTotal: 1, TasksDone: 4, TasksTotal: 4, Modified: ago(60 * 24 * 30),
	}, "")
	japanese.Name += " \x1b[2J"
	return []stories.Todo{
		todo(story.Listed{
			Name: "add-login", StoriesDone: 2, StoriesTotal: 5, TasksDone: 7, TasksTotal: 18, Modified: ago(3),
		}, "paused1"),
		todo(story.Listed{Name: "rename-api", StoriesTotal: 3, TasksTotal: 9, Modified: ago(60 * 26)}, ""),
		japanese,
		todo(story.Listed{Name: "broken", Problem: "tasks.md: no task in it", Modified: ago(9)}, ""),
	}
}

// storyRuns has a run in every state.
func storyRuns() []story.Run {
	return []story.Run{
		storyRun("live123", story.Running, ""),
		storyRun("paused1", story.Paused, ""),
		storyRun("done123", story.Completed, story.AllDone),
		storyRun("failed1", story.Failed, story.Retries),
		storyRun("gone123", story.Interrupted, ""),
	}
}

// tasksOf is the file of tasks of a change.
func tasksOf(change string) string { return "/src/openspec/changes/" + change + "/tasks.md" }

// storyRun is a run in a state.
func storyRun(id string, state story.State, reason story.Reason) story.Run {
	proven := func(n int) story.Try {
		return story.Try{
			N: n, Began: noon.Add(-9 * time.Minute), Ended: noon.Add(-7 * time.Minute), Ticked: 4, Changed: true,
			Outcome: story.Proven, Answer: "The table is there, with its index.",
			Checks: []story.Check{
				{Command: "go vet ./...", Passed: true, ElapsedMS: 3200},
				{Command: "go test ./...", Passed: true, ElapsedMS: 12_000, Output: "ok  \tstore\t0.4s\n"},
			},
			Used: &stream.Usage{Input: 9000, Output: 3400}, CostUSD: 0.04, CostKnown: true,
		}
	}
	failed := story.Try{
		N: 1, Began: noon.Add(-6 * time.Minute), Ended: noon.Add(-4 * time.Minute), Ticked: 1, Changed: true,
		Outcome: story.NotProven, Failure: "go test ./... failed", Answer: "I wrote the handler.",
		Checks: []story.Check{{
			Command: "go test ./...", Exit: 1, ElapsedMS: 8100,
			Output: "--- FAIL: TestLogin (0.02s)\n    login_test.go:40: got \x1b[31m401\x1b[0m, want 200\nFAIL\n",
		}},
	}
	run := story.Run{
		ID: id, Source: story.OpenSpec, Name: "add-login", Path: "openspec/changes/add-login/tasks.md",
		Origin: tasksOf("add-login"), Dir: "/src",
		Worktree: "/src/.worktrees/add-login", Branch: "cupola/add-login", Base: "0f0f0f0", Backend: "codex",
		Model: "gpt-5", Stage: "headless", Limits: story.DefaultLimits(),
		Verify: []string{"go vet ./...", "go test ./..."}, VerifyFrom: "guess",
		State: state, Reason: reason, Iterations: 4, CostUSD: 0.42,
		Used:    &stream.Usage{Input: 120_000, Output: 18_400},
		Started: noon.Add(-10 * time.Minute), ElapsedMS: 90_000,
		Stories: []story.Progress{
			{
				ID: "1", Title: "The table of users", State: story.Done, TasksDone: 4, TasksTotal: 4,
				Commit: "a1b2c3d4e5f", Tries: []story.Try{proven(1)},
			},
			{
				ID: "2", Title: "Read and write a user", State: story.Done, TasksDone: 3, TasksTotal: 3,
				Commit: "b2c3d4e5f6a", Tries: []story.Try{failed, proven(2)},
			},
			{
				ID: "3", Title: "The handler, 日本語で \x1b[2J", State: story.Working, TasksDone: 1, TasksTotal: 6,
				Failure: "go test ./... failed", Tries: []story.Try{failed, {N: 2, Began: noon.Add(-time.Minute)}},
			},
			{ID: "4", Title: "The page", TasksTotal: 3, State: story.Open, After: []string{"3"}},
			{ID: "5", Title: strings.Repeat("a long title ", 20), TasksTotal: 2, State: story.Open},
		},
	}
	switch state {
	case story.Completed:
		for i := range run.Stories {
			one := &run.Stories[i]
			one.State, one.Failure, one.TasksDone, one.Commit = story.Done, "", one.TasksTotal, "c3d4e5f6a7b"
		}
		run.CostKnown = true
	case story.Failed:
		run.Stories[2].State, run.Error = story.GivenUp, "story 3: go test ./... failed"
		run.Used, run.CostUSD = nil, 0
	case story.Interrupted:
		run.Interrupt()
	}
	if state.Ended() {
		run.Ended = noon.Add(-time.Minute)
	}
	return run
}

// happenings are the events of a run.
func happenings() []story.Event {
	yes, no := true, false
	all := []story.Event{
		{Type: story.RunStart, Text: "codex, headless"},
		{Type: story.StoryStart, Story: "1"},
		{Type: story.TryStart, Story: "1", Try: 1},
		{Type: story.Ticked, Story: "1", Text: "1.1 Add the table"},
		{Type: story.Verified, Story: "1", Command: "go vet ./...", Passed: &yes},
		{Type: story.Committed, Story: "1", Commit: "a1b2c3d4e5f", Files: []string{"store.go", "日本.go"}},
		{Type: story.StoryDone, Story: "1"},
		{Type: story.Verified, Story: "3", Command: "go test ./...", Passed: &no, Output: "FAIL"},
		{Type: story.Conflict, Story: "3", Files: []string{"handler.go"}},
		{Type: story.Learned, Story: "3", Text: "the tests need \x1b[2J a database"},
		{Type: story.Pause},
		{Type: story.Resume},
		{Type: story.Scope, Text: "one task more"},
		{Type: story.Note, Text: strings.Repeat("a long note ", 20)},
		{Type: "new_type"},
	}
	for i := range all {
		all[i].Seq, all[i].At = int64(i+1), noon.Add(time.Duration(i-len(all))*time.Second)
	}
	return all
}

// openChange is a change as it is read.
func openChange() story.Change {
	c := story.Change{
		Name: "add-login", Dir: "/src",
		Proposal: "# Login\n\n## Why\n\nUsers **cannot** log in: `GET /login` answers 404.\n\n" +
			"- a form\n- a session\n\n```go\nfunc Login(w http.ResponseWriter, r *http.Request) {}\n```\n",
		Design: "Sessions are kept in 日本語 \x1b[2J the store.",
		Stories: []story.Story{
			{ID: "1", Title: "The table of users", Tasks: []story.Task{
				{ID: "1.1", Text: "Add the table", Done: true, Mark: "x"},
				{ID: "1.2", Text: "Add its index", Done: true, Mark: "X", Depth: 1},
			}},
			{ID: "2", Title: "The handler", After: []string{"1"}, Tasks: []story.Task{
				{ID: "2.1", Text: "Answer \x1b[31mGET " + strings.Repeat("and a long text ", 20), Mark: " "},
				{ID: "2.2", Text: "日本語のテスト", Mark: "~"},
			}},
		},
		Scenarios: []story.Scenario{
			{
				Capability: "login", Requirement: "A user can log in", Name: "the password is right",
				Given: []string{"a user exists"}, When: "the form is sent",
				Then: []string{"a session begins", "303 is answered"},
			},
			{Capability: "login", Requirement: "A user can log in", Name: "it is wrong", When: "the form is sent"},
		},
		Dropped: []story.Dropped{{Line: 12, Text: "-[ ] Forgot the blank", Why: "no blank behind the dash"}},
	}
	for i := range 20 {
		more := story.Task{ID: fmt.Sprintf("2.%d", i+3), Text: "one more", Mark: " "}
		c.Stories[1].Tasks = append(c.Stories[1].Tasks, more)
	}
	return c
}

// changedFiles returns the files that a run changed.
func changedFiles() stories.Changes {
	return stories.Changes{
		Files: []stories.File{
			{Path: "store/users.go", Added: 120, Removed: 4}, {Path: "日本/\x1b[2Jlogo.png", Added: -1, Removed: -1},
		},
		Diff: "diff --git a/store/users.go b/store/users.go\nindex 1..2\n--- a/store/users.go\n+++ b/store/users.go\n" +
			"@@ -1,3 +1,4 @@\n package store\n-\tvar old int\n+\tvar users = map[string]int{} // 日本語 \x1b[2J\n+" +
			strings.Repeat("a long line ", 30) + "\n",
	}
}

// stories opens the runs over stories, selects one and delivers it.
func (s *harness) stories(id string) {
	s.t.Helper()
	s.openRun("t", id)
	s.deliver()
	s.recorder.last()
}

// todo opens the changes, selects one and delivers it.
func (s *harness) todo(name string) {
	s.t.Helper()
	s.press("9")
	answer[shown.TodoQuestion](s, todoListed())
	for range todoListed() {
		if about[shown.ChangeQuestion](s).Name == name {
			s.deliver()
			s.recorder.last()
			return
		}
		s.press("j")
	}
	s.t.Fatalf("no change %s", name)
}

// deliver answers what is asked about the selected row.
func (s *harness) deliver() {
	if one := open[shown.ChangeQuestion](s); one != nil && one.pending {
		answer[shown.ChangeQuestion](s, openChange())
	}
	if one := open[shown.RunQuestion](s); one != nil && one.pending {
		answer[shown.RunQuestion](s, s.run())
	}
	if one := open[shown.ChangedQuestion](s); one != nil && one.pending {
		answer[shown.ChangedQuestion](s, changedFiles())
	}
}

// run is the selected run as it is read.
func (s *harness) run() shown.RunText {
	read := shown.RunText{Events: happenings()}
	for _, one := range storyRuns() {
		if one.ID == about[shown.RunQuestion](s).ID {
			read.Run = one
		}
	}
	if read.Run.State == story.Running {
		read.Saying = []screen.Saying{{
			Agent: "3", Text: strings.Repeat("I read the handler.\n", 30) + "日本語 \x1b[2J and the last line",
			Doing: "Bash go test ./...",
		}}
	}
	return read
}

// inPane lets the story that is worked on have a pane.
func (s *harness) inPane(address string) {
	read := s.run()
	read.Run.Stage, read.Run.Session = "panes", "api"
	read.Saying = []screen.Saying{{Agent: "3", Pane: address}}
	answer[shown.RunQuestion](s, read)
}

func plan(s *harness) effect.RunPlanned {
	asked := intent.PlanRun{}
	for _, did := range s.recorder.did {
		if w, is := did.(intent.PlanRun); is {
			asked = w
		}
	}
	s.recorder.did = nil
	return effect.RunPlanned{Intent: asked, Plan: form.Plan{
		Backend: "codex", Model: "gpt-5", Backends: []string{"claude", "codex"}, Stage: "headless",
		Verify: []string{"go vet ./...", "go test \x1b[2J ./..."}, VerifyFrom: "guess", Branch: "cupola/add-login",
		Worktree: "/src/.worktrees/add-login", Stories: 3, Tasks: 11, Limits: story.DefaultLimits(),
		Warnings: []string{"the working tree has uncommitted changes"},
	}}
}

func TestARunIsReadWhileItWorksAndIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.stories("live123")
	first := wasAsked[shown.RunQuestion](s.recorder)
	if !first.Known || !open[shown.RunQuestion](s).pending {
		t.Errorf("it is not read again: %+v", first)
	}
	late := s.run()
	late.Run.Stories = nil
	s.model.Update(effect.Answered{Read: intent.Read{N: first.N - 1}, Answer: late, Now: noon})
	s.shows("The table of users")
	ended := s.run()
	ended.Run = storyRun("live123", story.Completed, story.AllDone)
	answer[shown.RunQuestion](s, ended)
	s.shows("Done: 5 of 5 stories.")
	if again := open[shown.RunQuestion](s); again.n == first.N {
		t.Error("one that ended, though the list says that it works, is not read again")
	}
	s.press("esc")
	if open[shown.RunQuestion](s) != nil {
		t.Error("it is read though it is not shown")
	}
}

func TestAChangeIsReadAgainOnceTheListDiffers(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.todo("rename-api")
	asked := open[shown.ChangeQuestion](s).n
	listed := todoListed()
	answer[shown.TodoQuestion](s, listed)
	if open[shown.ChangeQuestion](s).n != asked {
		t.Error("it is read again though it is the same")
	}
	listed[1].TasksDone++
	answer[shown.TodoQuestion](s, listed)
	if open[shown.ChangeQuestion](s).n == asked {
		t.Error("it is not read again though a task was ticked")
	}
	fail[shown.ChangeQuestion](s, core.Errorf(core.NotFound, "no tasks.md"))
	s.shows("no tasks.md")
	s = newHarness(t, theme.None, 100, 30)
	s.press("9")
	fail[shown.TodoQuestion](s, errors.New("the disk is gone"))
	s.shows("the disk is gone")
	answer[shown.TodoQuestion](s, []stories.Todo(nil))
	s.shows("cupola story list")
}

func TestAChangeLeadsToTheRunThatWorksOnIt(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.todo("add-login")
	s.press("o")
	answer[runs.ListQuestion](s, runsListed())
	if id := s.selectedRun(); id != "paused1" {
		t.Errorf("%q is selected", id)
	}
	s.press("esc")
	s.shows("To do")
}

func TestARunStartsAfterWhatProvesItWasShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	answer[runs.ListQuestion](s, runsListed())
	s.todo("rename-api")
	s.press("n")
	planned := plan(s)
	if planned.Intent.Name != "rename-api" || planned.Intent.Dir == "" || planned.Intent.Confirm {
		t.Fatalf("asked %+v", planned.Intent)
	}
	s.model.Update(planned)
	s.shows("$ go vet ./...")
	s.shows("from: guess")
	s.press("ctrl+u")
	s.write("claude")
	s.press("enter")
	again := plan(s)
	if again.Intent.Backend != "claude" || !again.Intent.Confirm {
		t.Fatalf("asked %+v", again.Intent)
	}
	again.Plan.Backend = "claude"
	s.model.Update(again)
	s.shows("Start rename-api?")
	s.shows("$ go vet ./...")
	s.shows("uncommitted changes")
	s.press("y")
	run := stories.StoryRunIn{Agent: "claude", Background: true}
	run.Repo, run.Change = "/src", "rename-api"
	want := onIts(run, "rename-api")
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	began := stories.RunOut{Run: &story.Run{ID: "done123"}, Background: true}
	s.model.Update(effect.Done{Intent: want, Said: "it works", Answer: began})
	if id := about[shown.RunQuestion](s).ID; id != "done123" {
		t.Errorf("%q is selected", id)
	}
	s.press("esc", "n")
	s.model.Update(effect.RunPlanned{Intent: intent.PlanRun{}, Err: core.Errorf(core.NotFound, "no backend")})
	s.shows("no backend")
}

func TestWhatKeysMeanInARun(t *testing.T) {
	done := stories.OfRun{Run: "done123"}
	for _, test := range []struct {
		run  string
		keys []string
		want intent.Intent
	}{
		{"done123", []string{"K", "y"}, onIts(stories.StoryFinishIn{OfRun: done}, "done123")},
		{"done123", []string{"S", "y"}, onIts(stories.StoryFinishIn{OfRun: done, Squash: true}, "done123")},
		{"done123", []string{"y"}, intent.CopyText{Text: "cupola worktree merge story-add-login/done123"}},
		{"done123", []string{"M", "y"}, merging("/src/.worktrees/add-login")},
	} {
		s := newHarness(t, theme.None, 100, 30)
		s.stories(test.run)
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.last()); diff != "" {
			t.Errorf("%s %v: %s", test.run, test.keys, diff)
		}
	}
	for _, test := range []struct{ run, key, says string }{
		{"live123", "K", "it has not ended"},
		{"live123", "M", "it has no commit to merge, or has not ended"},
	} {
		s := newHarness(t, theme.None, 100, 30)
		s.stories(test.run)
		s.press(test.key)
		s.shows(test.says)
	}
}

func TestAnAlertLeadsToItsRun(t *testing.T) {
	s := bare(t, theme.None, 100, 30)
	alarmed := fixture()
	alarmed.Alerts = []core.Alert{{
		ID: "story:failed1", Severity: core.SeverityError, Subject: "story/failed1", Message: "the run failed1 failed",
		FirstSeen: noon, LastSeen: noon, Count: 1,
	}}
	s.show(alarmed)
	answer[runs.ListQuestion](s, runsListed())
	s.press("!", "enter")
	if got := about[shown.RunQuestion](s).ID; got != "failed1" {
		t.Errorf("%q is selected", got)
	}
}

func TestARunThatWasCutOffWorksOnNothing(t *testing.T) {
	s := newHarness(t, theme.None, 100, 40)
	s.stories("gone123")
	s.shows("It was interrupted: its process ended before it did.")
	s.shows("› started    3")
	s.press("tab")
	s.shows("the story was started; no agent works on it")
	s.press("tab", "tab")
	s.shows("try 2  was cut off")
}

func TestTheEndIsFollowedUntilTheUserScrollsUp(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.stories("live123")
	s.press("enter")
	s.shows("the last line")
	s.press("pgup")
	s.hides("the last line")
	s.shows("G follows")
	more := s.run()
	more.Saying[0].Text += "\nand more"
	answer[shown.RunQuestion](s, more)
	s.hides("and more")
	s.press("G")
	s.shows("and more")
	again := s.run()
	again.Saying[0].Text += "\nand the newest"
	answer[shown.RunQuestion](s, again)
	s.shows("and the newest")
}

func TestEachTabKeepsItsPlace(t *testing.T) {
	s := newHarness(t, theme.None, 100, 24)
	s.todo("rename-api")
	s.press("enter", "pgdown")
	before := s.model.View()
	s.press("tab")
	s.shows("the password is right")
	s.press("tab")
	s.shows("answers 404")
	s.press("tab")
	if s.model.View() != before {
		t.Errorf("the tasks are elsewhere:\n%s", s.model.View())
	}
	s.press("shift+tab")
	s.shows("[Proposal]")
}

func TestStoriesThatWereBegunAreChosen(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.stories("live123")
	s.press("enter")
	s.shows("› working    3")
	s.press("right")
	s.shows("› working    3")
	s.press("left", "left", "left")
	s.shows("› done       1")
	s.shows("The table is there, with its index.")
	s.press("right", "tab")
	s.shows("login_test.go:40: got 401, want 200")
	s.press("tab")
	s.shows("try 2  proven")
	s.press("left", "right", "right")
	s.shows("› working    3")
	next := s.run()
	next.Run.Stories[2].State, next.Run.Stories[3].State = story.Done, story.Working
	answer[shown.RunQuestion](s, next)
	s.shows("› working    4")
}

func TestThePaneOfAStoryIsShownLive(t *testing.T) {
	s := newHarness(t, theme.None, 100, 40)
	s.stories("live123")
	s.inPane("api.1")
	s.shows("I renamed handler.go")
	if got := fmt.Sprint(s.recorder.visible); got != "[%1]" {
		t.Errorf("it looks at %s", got)
	}
	s.press("enter", "pgup", "tab")
	if len(s.recorder.visible) != 0 {
		t.Errorf("it still looks at %v", s.recorder.visible)
	}
	s.press("o")
	if pane := s.model.choice.Shown(s.model.world.Snapshot); pane == nil || pane.Address() != "api.1" {
		t.Errorf("%+v is selected", pane)
	}
	s.stories("live123")
	s.inPane("api.77")
	s.shows("api.77, which is not there")
}

func TestWhatARunChangedIsReadOnceItIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 40)
	s.stories("live123")
	if open[shown.ChangedQuestion](s) != nil {
		t.Fatal("it is read though it is not shown")
	}
	s.press("d")
	s.shows("reading")
	s.deliver()
	s.shows("+120")
	s.shows("2 files, +120 -4")
	s.shows("var users")
	asked := open[shown.ChangedQuestion](s).n
	more := s.run()
	more.Run.Stories[2].Commit = "fff"
	answer[shown.RunQuestion](s, more)
	if open[shown.ChangedQuestion](s).n == asked {
		t.Error("it is not read again after another commit")
	}
	fail[shown.ChangedQuestion](s, errors.New("git is gone"))
	s.shows("git is gone")
}

func TestTheMouseOnChangesAndRuns(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.todo("add-login")
	s.on("rename-api", 5)
	s.deliver()
	s.shows("[Tasks 2/24]")
	row := s.row("Scenarios 2")
	s.on("Scenarios 2", strings.Index(s.model.shown.Lines[row], "Scenarios"))
	s.shows("the password is right")
	s.on("rename-api", 5)
	s.on("rename-api", 5)
	s.hides("broken")
	s.press("esc", "esc")
	s.stories("live123")
	s.on("done       1", 5)
	s.shows("The table is there")
}

func TestManyLinesOfOutputAreShownFromTheirEnd(t *testing.T) {
	s := newHarness(t, theme.True, 100, 30)
	s.stories("live123")
	var long strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&long, "line %d 日本語 \x1b[31m👩‍💻🇩🇪 e\u0301 \u202eright to left\n", i)
	}
	read := s.run()
	read.Run.Stories[2].Tries[0].Checks[0].Output = long.String()
	read.Saying[0].Text = long.String()
	answer[shown.RunQuestion](s, read)
	s.press("enter")
	s.shows("line 9999")
	s.press("tab")
	s.shows("line 9999")
	for range 9 {
		s.press("pgup", "tab", "k")
		s.exact()
	}
}

func BenchmarkLongAnswerOfAStory(b *testing.B) {
	s := newHarness(b, theme.None, 140, 40)
	s.stories("live123")
	s.press("enter")
	read := s.run()
	read.Saying[0].Text = strings.Repeat("one of many lines of an answer, which goes on for a while\n", 10_000)
	for b.Loop() {
		read.Saying[0].Text += "x"
		answer[shown.RunQuestion](s, read)
	}
}
