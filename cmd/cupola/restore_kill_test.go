package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/system/process"
	"cupola/core/system/shell/shelltest"
)

// recordingAgent is an agent that keeps a transcript as Claude Code does, prints its session, outlives its terminal
// until it is terminated, and begins a new session on SIGUSR1.
const recordingAgent = `#!/bin/sh
case "$*" in
*--json*) echo '[]'; exit ;;
*--version*) echo '2.1.329 (Claude Code)'; exit ;;
esac
trap '' HUP
id= word=new
while [ $# -gt 0 ]; do
	case $1 in
	--session-id) id=$2; shift ;;
	--resume) id=$2 word=again; shift ;;
	--resume=*) id=${1#--resume=} word=again ;;
	--fork-session) word=forked ;;
	esac
	shift
done
folder=$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')
mkdir -p "$folder" "$HOME/.claude/sessions"
record() {
	now=$(date +%s)
	printf '{"pid":%s,"sessionId":"%s","cwd":"%s","startedAt":%s000,"procStart":"%s","version":"2.1.329",' \
		$$ $id "$(pwd)" $now "$(cut -d' ' -f22 /proc/$$/stat)" > "$HOME/.claude/sessions/$$.new"
	printf '"kind":"interactive","status":"idle","updatedAt":%s000}' $now >> "$HOME/.claude/sessions/$$.new"
	mv "$HOME/.claude/sessions/$$.new" "$HOME/.claude/sessions/$$.json"
	printf '{"type":"user","sessionId":"%s","timestamp":"%s","cwd":"%s","message":{"role":"user","content":"hello"}}\n' \
		$id "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)" "$(pwd)" >> "$folder/$id.jsonl"
	echo "in $word $id"
}
if [ $word = forked ]; then
	from=$id id=$(cat /proc/sys/kernel/random/uuid)
	sed "s/$from/$id/" "$folder/$from.jsonl" > "$folder/$id.jsonl"
	echo "in $word $id"
else
	id=${id:-$(cat /proc/sys/kernel/random/uuid)}
	record
fi
trap 'id=$(cat /proc/sys/kernel/random/uuid) word=anew; record' USR1
while :; do sleep 1 & wait $!; done
`

// recorders makes a machine on which Claude Code is an agent that keeps transcripts.
func recorders(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the agent reads /proc")
	}
	m := newMachine(t)
	bin := t.TempDir()
	if err := shelltest.WriteProgram(filepath.Join(bin, "claude"), []byte(recordingAgent)); err != nil {
		t.Fatal(err)
	}
	m.putFirst(bin)
	return m
}

// conversations waits until some agents say in which sessions they are, and returns these by the agents' names.
func (m *machine) conversations(session string, agents int, word string) map[string]string {
	m.t.Helper()
	found := map[string]string{}
	enginetest.Eventually(m.t, testTimeout, func() bool {
		clear(found)
		text := m.answer(`.panes | map([.agent, (.lines | join(" "))] | join("\t")) | join("\n")`, "tail", session, "--all")
		for line := range strings.SplitSeq(text, "\n") {
			agent, shows, _ := strings.Cut(line, "\t")
			if _, id, is := strings.Cut(shows, "in "+word+" "); is {
				found[agent] = strings.Fields(id)[0]
			}
		}
		return len(found) == agents
	}, func() string { return fmt.Sprintf("%s: %d agents say %q: %v", session, len(found), word, found) })
	return found
}

// inConversation counts the processes of agents that are in a session.
func (m *machine) inConversation(id string) (count int) {
	m.t.Helper()
	files, _ := filepath.Glob(filepath.Join(m.home, ".claude", "sessions", "*.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".json"))
		found, gone := process.Find(pid)
		if err == nil && strings.Contains(string(text), id) && gone == nil && !found.Zombie {
			count++
		}
	}
	return count
}

// TestNoTwoAgentsAreInOneConversation restores a checkpoint beside the session that it records, and what ran while its
// agents outlive their server.
func TestNoTwoAgentsAreInOneConversation(t *testing.T) {
	t.Parallel()
	m := recorders(t)
	m.must("spawn", "api", "--engine=tmux", "--agents=cc=2")
	before := m.conversations("api", 2, "new")
	m.must("checkpoint", "api", "--name=one")
	if got := m.answerOfError("restore", "one", "--as=other"); got != "CONFLICT" {
		t.Errorf("beside the original: %s", got)
	}
	m.must("restore", "one", "--as=other", "--fresh", "--dry-run")
	m.must("status")
	m.mustKill(m.tmux.Run("display-message", "-p", "#{pid}"))
	for agent, id := range before {
		if got := m.inConversation(id); got != 1 {
			t.Fatalf("%d processes of %s outlived their server", got, agent)
		}
	}
	m.must("restore")
	if after := m.conversations("api", 2, "again"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("they were in %v and are in %v", before, after)
	}
	for agent, id := range before {
		if got := m.inConversation(id); got != 1 {
			t.Errorf("%d processes are in the session of %s", got, agent)
		}
	}
	m.must("kill", "api", "--yes")
}

// answerOfError runs the program, which must fail, and returns the code of its error.
func (m *machine) answerOfError(args ...string) string {
	m.t.Helper()
	return mustAsk(m.t, ".error_code", m.cupola(args...))
}

// kill is a way to lose agents: processes that are killed with SIGKILL.
type kill struct {
	engine string
	// all kills every process, else only the terminal server and the process that keeps its terminals.
	all bool
	// singly kills them in a random order with moments between them, in which others act.
	singly bool
}

// TestDeepWhatRanComesBackInItsConversations kills terminal servers, and all processes at once or one after another,
// and restores 12 agents in three folders: each is in the session that it was in, alone.
func TestDeepWhatRanComesBackInItsConversations(t *testing.T) {
	enginetest.Deep(t)
	random := enginetest.Random(t)
	for name, way := range map[string]kill{
		"tmux, its server":                    {engine: "tmux"},
		"tmux, all at once":                   {engine: "tmux", all: true},
		"own, its server":                     {engine: "own"},
		"own, all at once":                    {engine: "own", all: true},
		"own, its server and agents in a row": {engine: "own", all: true, singly: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := recorders(t)
			before := m.twelve(way.engine)
			for round := range 2 {
				m.must("status")
				m.kill(way, random)
				m.must("restore")
				m.must("restore") // finds nothing more
				for session, ids := range before {
					if after := m.conversations(session, 4, "again"); fmt.Sprint(after) != fmt.Sprint(ids) {
						t.Fatalf("round %d: %s were in %v and are in %v", round, session, ids, after)
					}
					for agent, id := range ids {
						if got := m.inConversation(id); got != 1 {
							t.Fatalf("round %d: %d processes are in the session of %s", round, got, agent)
						}
					}
				}
			}
			for session := range before {
				m.must("kill", session, "--yes")
			}
		})
	}
}

// twelve starts twelve agents in three sessions and folders, the last in worktrees, and returns their own sessions.
func (m *machine) twelve(engine string) map[string]map[string]string {
	m.t.Helper()
	before := map[string]map[string]string{}
	for _, session := range []string{"one", "two", "three"} {
		dir := filepath.Join(m.t.TempDir(), session)
		args := []string{"spawn", session, "--engine=" + engine, "--agents=cc=4", "--dir=" + dir}
		if err := os.Mkdir(dir, 0o700); err != nil {
			m.t.Fatal(err)
		}
		if session == "three" {
			m.git(dir)
			args = append(args, "--worktree")
		}
		m.must(args...)
		before[session] = m.conversations(session, 4, "new")
	}
	return before
}

// git makes a repository with a commit in a folder.
func (m *machine) git(dir string) {
	m.t.Helper()
	for _, args := range [][]string{
		{"init", "-q"},
		{"-c", "user.email=a@b.example", "-c", "user.name=a", "commit", "-q", "--allow-empty", "-m", "x"},
	} {
		cmd := m.command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			m.t.Fatalf("git %q: %v, %s", args, err, out)
		}
	}
}

// kill kills processes of the machine.
func (m *machine) kill(way kill, random *rand.Rand) {
	m.t.Helper()
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		environ, unreadable := os.ReadFile("/proc/" + entry.Name() + "/environ")
		if err != nil || unreadable != nil || !bytes.Contains(environ, []byte("TMUX_TMPDIR="+m.tmux.Dir+"\x00")) {
			continue
		}
		words, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		server := bytes.HasPrefix(words, []byte("tmux"))
		if way.engine == "own" {
			server = bytes.Contains(words, []byte("terminal-server")) ||
				bytes.Contains(words, []byte("terminal-holder"))
		}
		if server || way.all {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		m.t.Fatalf("no server of %s runs: %q", way.engine, m.processes())
	}
	if way.singly {
		random.Shuffle(len(pids), func(i, j int) { pids[i], pids[j] = pids[j], pids[i] })
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_ = core.Sleep(m.t.Context(), time.Duration(random.Int64N(int64(20*time.Millisecond))))
		}
		return
	}
	// One that is stopped cannot start the other again.
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range pids {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// TestACheckpointHasTheConversationsOfItsAgents records agents that began a new session, and that were killed, and
// restores them where a folder has moved and a worktree is gone.
func TestACheckpointHasTheConversationsOfItsAgents(t *testing.T) {
	t.Parallel()
	m := recorders(t)
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m.git(dir)
	m.must("spawn", "api", "--engine=own", "--agents=cc=2", "--dir="+dir, "--worktree")
	want := m.conversations("api", 2, "new")
	m.signalAgent(want["cc_1"], syscall.SIGUSR1)
	want["cc_1"] = m.conversations("api", 1, "anew")["cc_1"]
	m.signalAgent(want["cc_2"], syscall.SIGKILL)
	enginetest.Eventually(t, testTimeout, func() bool {
		return m.answer(`.panes | map(select(.agent == "cc_2") | .state) | join("")`, "status") == "exited"
	}, nil)
	m.must("checkpoint", "api", "--name=one")
	trees := m.answer(`.panes | map(select(.agent) | .dir) | join("\n")`, "restore", "one", "--as=again", "--fresh",
		"--dry-run")
	gone, _, _ := strings.Cut(trees, "\n")
	m.must("kill", "api", "--yes")
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	m.must("restore", "one", "--as=again")
	if got := m.conversations("again", 2, "again"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("they were in %v and are in %v", want, got)
	}
	if _, err := os.Stat(filepath.Join(gone, ".git")); err != nil {
		t.Errorf("the worktree was not made again: %v", err)
	}
	m.must("kill", "again", "--yes")
	moved := dir + "-moved"
	if err := os.Rename(dir+"-worktrees", moved+"-worktrees"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if got := m.answerOfError("restore", "one", "--as=there"); got != "CHECKPOINT_FAILED" {
		t.Errorf("without its folder: %s", got)
	}
	if got := m.answer(".panes | length", "restore", "one", "--as=there", "--dir="+dir+"="+moved,
		"--dir="+dir+"-worktrees="+moved+"-worktrees", "--fresh", "--dry-run"); got == "0" {
		t.Errorf("%s panes would be restored", got)
	}
}

// signalAgent sends a signal to the process that is in a session.
func (m *machine) signalAgent(id string, signal syscall.Signal) {
	m.t.Helper()
	files, _ := filepath.Glob(filepath.Join(m.home, ".claude", "sessions", "*.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".json"))
		if err == nil && strings.Contains(string(text), id) && syscall.Kill(pid, signal) == nil {
			return
		}
	}
	m.t.Fatalf("no process is in %s", id)
}
