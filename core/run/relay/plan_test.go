package relay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/shell/shelltest"
)

// asker returns a Relay with a program in PATH, and a server.
func asker(t *testing.T, environ ...string) *Relay {
	t.Helper()
	bin := t.TempDir()
	if err := shelltest.WriteProgram(filepath.Join(bin, "echoer"), []byte("#!/bin/sh\ncat\n")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	kind := &agent.Kind{
		ID: "echoer", Short: "ec", Name: "Echoer",
		Launch: agent.Launch{Command: []string{"echoer"}, Model: []string{"--model", "{model}"}, Install: "get echoer"},
		Headless: agent.Headless{
			Format: "text", Mode: []string{"run"}, Last: []string{"-"}, Resume: []string{"--resume", "{session}"},
			Forget: []string{"--forget"}, Unset: []string{"ECHOER_*", "NESTED"},
			Sandbox: map[string]agent.Sandbox{
				"read-only": {
					Args: []string{"--read"}, Env: map[string]string{"MODE": "read"}, Guarantee: "It only reads.",
				},
				"danger-full-access": {Guarantee: "Nothing is held back."},
			},
		},
	}
	program, _ := FromKind(kind, "/bin/cupola")
	server, err := FromServer("llama", "Llama", Server{API: "ollama", URL: "localhost:1"})
	if err != nil {
		t.Fatal(err)
	}
	return &Relay{Backends: Backends{program, server}, Environ: environ}
}

// valid is a request that is planned.
func valid(t *testing.T) *Request {
	return &Request{Prompt: "why?", Backend: "echoer", Dir: t.TempDir(), Sandbox: ReadOnly, Timeout: time.Minute}
}

// TestTheFirstFailedCheckCounts makes every mistake together, and corrects one after another: each error must name
// the first mistake that is left.
func TestTheFirstFailedCheckCounts(t *testing.T) {
	r := asker(t, "CUPOLA_RELAY_DEPTH=1")
	dir := t.TempDir()
	file := filepath.Join(dir, "context.txt")
	long := strings.Repeat("x", MaxContext)
	if err := os.WriteFile(file, []byte(long+"y"), 0o600); err != nil {
		t.Fatal(err)
	}
	request := &Request{
		Prompt: " \n", Backend: "echo", Dir: filepath.Join(dir, "none"), Sandbox: "careful",
		Context: Context{Files: []string{filepath.Join(dir, "missing.txt")}, Text: "more"},
	}
	for _, step := range []struct {
		says string
		code core.Code
		mend func()
	}{
		{"Prompt is required", core.MissingRequired, func() { request.Prompt = "why?" }},
		{"Timeout must be greater than zero", core.InvalidInput, func() { request.Timeout = time.Second }},
		{
			"Repository path does not exist or is not a directory: " + dir + "/none", core.ProjectNotFound,
			func() { request.Dir = dir },
		},
		{
			"Unsupported relay backend: echo. Supported: echoer, llama", core.InvalidInput,
			func() { request.Backend = "ec" },
		},
		{
			"Invalid sandbox mode: careful. Allowed values: danger-full-access, read-only", core.InvalidInput,
			func() { request.Sandbox = WorkspaceWrite },
		},
		{
			"Invalid sandbox mode: workspace-write. Allowed values: danger-full-access, read-only", core.InvalidInput,
			func() { request.Sandbox = ReadOnly },
		},
		{
			"Context file does not exist: " + dir + "/missing.txt", core.NotFound,
			func() { request.Context.Files[0] = dir },
		},
		{"Context path is not a file: " + dir, core.InvalidInput, func() { request.Context.Files[0] = file }},
		{
			"Context file is too large (200001 bytes; max 200000 bytes)", core.InvalidInput,
			func() { writeFile(t, file, " "+long+"\n") },
		},
		{
			"Use either context_file or context_text, not both", core.InvalidInput,
			func() { request.Context.Files, request.Context.Text = nil, long+"y" },
		},
		{
			"Context text is too large (200001 bytes; max 200000 bytes)", core.InvalidInput,
			func() { request.Context.Text, request.Prompt = long, strings.Repeat("p", MaxPrompt) },
		},
		{"Relay prompt is too large (", core.InvalidInput, func() { request.Prompt = "why?" }},
		{
			"Relay depth limit reached; refusing nested relay invocation", core.DepthLimit,
			func() { r.Environ = nil },
		},
		{"", "", nil},
	} {
		_, err := r.Plan(t.Context(), request)
		if step.mend == nil {
			if err != nil {
				t.Errorf("everything is mended, and the plan fails: %v", err)
			}
			return
		}
		if e := core.AsError(err); e == nil || !strings.HasPrefix(e.Error(), step.says) || e.Code != step.code {
			t.Fatalf("the error is %v, not %s %q", err, step.code, step.says)
		}
		step.mend()
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestThePlanSaysWhatWillRun(t *testing.T) {
	r := asker(t, "ECHOER_KEY=1", "NESTED=yes", "MODE=write", "HOME=/home/me")
	request := valid(t)
	request.Model, request.Context.Text = "big", "It is late."
	request.Env = []string{"CUPOLA_STORY=1.2=3"}
	p, err := r.Plan(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.Argv, " "), "run --read --model big --forget -"; got != want {
		t.Errorf("the arguments are %q, not %q", got, want)
	}
	if got, want := strings.Join(p.Unset, " "), "ECHOER_KEY NESTED"; got != want {
		t.Errorf("%q is unset, not %q", got, want)
	}
	inherited, set := p.environment()
	if got, want := strings.Join(append(inherited, set...), " "),
		"HOME=/home/me CUPOLA_RELAY_DEPTH=1 CUPOLA_STORY=1.2=3 MODE=read PHONE_A_FRIEND_DEPTH=1"; got != want {
		t.Errorf("the environment is %q, not %q", got, want)
	}
	want := "You are helping another coding agent. Answer the request below.\nRepository path: " + p.Dir +
		"\nRead the files of the repository where they help.\nBe concise, and say what you are not sure of.\n\n" +
		"Request:\nwhy?\n\nAdditional Context:\nIt is late."
	if p.Prompt != want {
		t.Errorf("the prompt is %q, not %q", p.Prompt, want)
	}
	request.Session = "s-1"
	if p, err = r.Plan(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.Argv, " "), "run --resume s-1 --read --model big -"; got != want {
		t.Errorf("the arguments of a conversation are %q, not %q", got, want)
	}
	if want := "Request:\nwhy?\n\nAdditional Context:\nIt is late."; p.Prompt != want {
		t.Errorf("the prompt of a conversation is %q, not %q", p.Prompt, want)
	}
}

func TestAServerGetsNoPathsAndHoldsReadOnlyAlone(t *testing.T) {
	r := asker(t)
	request := valid(t)
	request.Backend = "llama"
	p, err := r.Plan(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.Prompt, p.Dir) || p.URL != "http://localhost:1/api/chat" || p.Program != "" {
		t.Errorf("the plan is %+v", p)
	}
	request.Sandbox = FullAccess
	_, err = r.Plan(t.Context(), request)
	if e := core.AsError(err); e == nil || e.Code != core.InvalidInput || len(e.Suggestions) != 1 {
		t.Errorf("a server takes full access: %v", err)
	}
}

// TestDepthCountsDigitsAlone holds the guard to what other programs that share its variable write.
func TestDepthCountsDigitsAlone(t *testing.T) {
	for value, want := range map[string]int{
		"": 0, "0": 0, "1": 1, "7": 7, "1abc": 0, "-1": 0, "\t1": 0, "99999999999999999999": 1,
	} {
		if got := depthOf([]string{"PHONE_A_FRIEND_DEPTH=" + value}); got != want {
			t.Errorf("%q is depth %d, not %d", value, got, want)
		}
	}
}

func TestTheDiffHasChangesOrTheLastCommitAndNewFiles(t *testing.T) {
	r := asker(t, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")...)
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		as := []string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}
		command := exec.CommandContext(t.Context(), "git", append(as, args...)...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	request := &Request{
		Prompt: "why?", Backend: "echoer", Dir: dir, Sandbox: ReadOnly, Timeout: time.Minute,
		Context: Context{Diff: true},
	}
	sent := func() string {
		t.Helper()
		p, err := r.Plan(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		_, diff, _ := strings.Cut(p.Prompt, "\n\nGit Diff:\n")
		return diff
	}
	if diff := sent(); diff != "" {
		t.Errorf("no repository has the diff %q", diff)
	}
	run("init", "-q", "-b", "main")
	writeFile(t, filepath.Join(dir, "a"), "one\n")
	run("add", "a")
	run("commit", "-qm", "first")
	if diff := sent(); diff != "" {
		t.Errorf("the first commit has the diff %q", diff)
	}
	writeFile(t, filepath.Join(dir, "a"), "two\n")
	run("commit", "-qam", "second")
	if diff := sent(); !strings.Contains(diff, "-one\n+two") {
		t.Errorf("a clean tree has the diff %q, not that of the last commit", diff)
	}
	writeFile(t, filepath.Join(dir, "a"), "three\n")
	writeFile(t, filepath.Join(dir, "new"), "x\ny")
	if diff := sent(); !strings.Contains(diff, "-two\n+three") || strings.Contains(diff, "new") {
		t.Errorf("a changed tree has the diff %q", diff)
	}
	request.Context.Untracked = true
	if diff := sent(); !strings.HasSuffix(diff, "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y") {
		t.Errorf("with new files the diff is %q", diff)
	}
	request.Context, request.Review, request.Base = Context{}, true, "HEAD~1"
	if diff := sent(); !strings.Contains(diff, "-one\n+three") || strings.Contains(diff, "new") {
		t.Errorf("the review has the diff %q", diff)
	}
	request.Context.Untracked = true
	if diff := sent(); !strings.Contains(diff, "-one\n+three") || !strings.Contains(diff, "+++ b/new") {
		t.Errorf("the review with new files has the diff %q", diff)
	}
	request.Context.Untracked = false
	for base, want := range map[string]string{
		"nowhere": "Failed to collect git diff against nowhere: ", "-x": `"-x" is no name of a commit`,
	} {
		request.Base = base
		if _, err := r.Plan(t.Context(), request); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the base %s is %v", base, err)
		}
	}
	run("checkout", "-q", "a")
	request.Base = "HEAD"
	_, err := r.Plan(t.Context(), request)
	if err == nil || !strings.HasPrefix(err.Error(), "There is nothing to review") {
		t.Errorf("a review of nothing is %v", err)
	}
	writeFile(t, filepath.Join(dir, "new"), strings.Repeat("x", MaxDiff))
	request.Review, request.Context = false, Context{Untracked: true}
	if _, err = r.Plan(t.Context(), request); err == nil || !strings.HasPrefix(err.Error(), "Git diff is too large (") {
		t.Errorf("a diff over the limit is %v", err)
	}
}
