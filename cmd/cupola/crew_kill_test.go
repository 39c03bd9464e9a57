package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/run/relay"
	"cupola/core/system/shell/shelltest"
)

// ringProgram answers by its prompt alone: who it is, and how often it answered before. It writes
// to its neighbour, once to all, and at last to the user. The first answers as soon as the others.
const ringProgram = `#!/bin/sh
in=$(cat)
me=${in#*You are }
me=${me%%,*}
n=$(printf '%s\n' "$in" | grep -c '^Assistant: ')
case $me in a.one) next=b.two;; b.two) next=c.three; sleep 0.02;; *) next=a.one; sleep 0.04;; esac
echo "$me thinks about $n."
case $n in
2) printf '@all:\n%s tells all\n\n%s times\n' "$me" "$n";;
4) echo "@user: $me is done";;
*) echo "@$next: $n from $me";;
esac
`

// crewBackend makes a program that members of crews can be.
func (m *machine) crewBackend(name, program string) {
	m.t.Helper()
	bin, kinds := m.t.TempDir(), filepath.Join(m.home, ".config", "cupola", "agents")
	if err := os.MkdirAll(kinds, 0o700); err != nil {
		m.t.Fatal(err)
	}
	kind := strings.NewReplacer("bench", name, "Bench", name, `"be"`, `"`+name[:2]+`"`).Replace(relayKind)
	for path, text := range map[string]string{filepath.Join(kinds, name+".toml"): kind, filepath.Join(bin,
		name): program} {
		if err := shelltest.WriteProgram(path, []byte(text)); err != nil {
			m.t.Fatal(err)
		}
	}
	m.putFirst(bin)
}

// crewEvent is the part of an event that a test reads.
type crewEvent struct {
	Type, From, To, Text, Reason string
	Turn                         int
}

// crewSaid returns the events of a crew, without the ones that show the present activity of its members and the run.
func (m *machine) crewSaid(id string) []string {
	m.t.Helper()
	got := m.cupola("--robot-format=json", "crew", "replay", id)
	var out struct{ Events []crewEvent }
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		m.t.Fatalf("%v: %s\n%s", err, got.stdout, got.stderr)
	}
	var lines []string
	for _, e := range out.Events {
		if e.Type != "" && e.Type != "agent_status" && e.Type != "crew_start" {
			lines = append(lines, fmt.Sprintf("%d %s %s %s %q %s", e.Turn, e.Type, e.From, e.To, e.Text, e.Reason))
		}
	}
	return lines
}

// crewState is the newest crew on record; an empty id if there is none.
func (m *machine) crewState() (id, state string) {
	m.t.Helper()
	var out struct{ Crews []struct{ ID, State string } }
	got := m.cupola("--robot-format=json", "crew", "list")
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		m.t.Fatalf("%v: %+v", err, got)
	}
	if len(out.Crews) == 0 {
		return "", ""
	}
	return out.Crews[0].ID, out.Crews[0].State
}

// answered counts the relays of a crew that have an answer on record, by what was asked.
func (m *machine) answered(id string) map[string]int {
	m.t.Helper()
	directory := relay.Directory{Dir: filepath.Join(m.home, ".local", "state", "cupola", "crews", id, "relays")}
	all, err := directory.All()
	if err != nil {
		m.t.Fatal(err)
	}
	found := map[string]int{}
	for i := range all {
		if all[i].State == relay.Done {
			found[all[i].Text]++
		}
	}
	return found
}

// killed runs the program, kills it after a while, and reports whether it still ran then. No
// backend is left.
func (m *machine) killed(after time.Duration, args ...string) bool {
	m.t.Helper()
	cmd := m.command(m.program, args...)
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if exit, failed := err.(*exec.ExitError); failed && exit.ExitCode() >= 0 { //nolint:errorlint // Wait wraps none
		m.t.Errorf("%q: %v", args, err)
	}
	// What ends the backends may itself take longer.
	backend := func(process string) bool { return strings.HasSuffix(process, "ring") }
	enginetest.Eventually(m.t, testTimeout, func() bool { return !slices.ContainsFunc(m.processes(), backend) },
		func() string { return "backends are left: " + strings.Join(m.processes(), ", ") })
	return err != nil
}

// TestCrewThatIsKilledLosesNothing kills the program at random moments of a crew, and resumes it: the record equals
// the record of a crew that was never killed, and no member answered twice.
func TestDeepCrewThatIsKilledLosesNothing(t *testing.T) {
	enginetest.Deep(t)
	kills := 30
	random := enginetest.Random(t)
	m := newMachine(t)
	m.crewBackend("ring", ringProgram)
	run := []string{"crew", "run", "--agents=a.one:ring,b.two:ring,c.three:ring", "--prompt=Count"}
	began := time.Now()
	if got := m.cupola(run...); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	took := time.Since(began)
	first, _ := m.crewState()
	want := m.crewSaid(first)
	if len(want) < 30 {
		t.Fatalf("the crew said\n%s", strings.Join(want, "\n"))
	}
	crews := 0
	for ; kills > 0; crews++ {
		id, args := "", run
		for {
			if kills > 0 && m.killed(time.Duration(random.Int64N(int64(took)/2)), args...) {
				kills--
			} else if kills == 0 {
				if got := m.cupola(args...); got.status != 0 {
					t.Fatalf("%+v", got)
				}
			}
			// A run that was killed early left no crew.
			newest, state := m.crewState()
			if newest == first {
				continue
			}
			id, args = newest, []string{"crew", "resume", newest}
			if state == "completed" {
				break
			}
		}
		if got := m.crewSaid(id); !slices.Equal(got, want) {
			t.Fatalf("the record is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		answers := m.answered(id)
		for text, times := range answers {
			if times != 1 {
				t.Errorf("%d times it was answered: %s", times, text)
			}
		}
		if len(answers) != 15 {
			t.Errorf("%d answers are on record", len(answers))
		}
		first = id
	}
	t.Logf("killed in %d crews; one that is not takes %s", crews, took)
}
