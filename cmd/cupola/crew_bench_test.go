package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/record/store"
	"cupola/core/run/crew"
)

// pairProgram talks to the other member for ever, and notes in the file %s when it begins and ends.
const pairProgram = `#!/bin/sh
date +%%s%%N >>%[1]s
in=$(cat)
me=${in#*You are }
case ${me%%%%,*} in a.one) to=b.two;; *) to=a.one;; esac
echo "@$to: and what of ${#in}?"
date +%%s%%N >>%[1]s
`

// BenchmarkCrewTurn reports how long after the end of a member's program the next begins, less what
// the same program takes to start and to end when it is called directly. Budget: 20 ms.
func BenchmarkCrewTurn(b *testing.B) {
	program := buildProgram(b)
	m := newMachine(b)
	log := filepath.Join(m.tmux.Dir, "times")
	m.crewBackend("pair", fmt.Sprintf(pairProgram, log))
	m.more = append(m.more, "CUPOLA_CREW_PING_PONG=0")
	pair := pathOf(b, m, "pair")
	var gaps, bare []time.Duration
	for b.Loop() {
		_ = os.Remove(log)
		got := m.run(m.command(program, "crew", "run", "--agents=a.one:pair,b.two:pair", "--prompt=Talk",
			"--max-turns=20"))
		if !strings.Contains(got.stdout, `"max_turns"`) {
			b.Fatalf("%+v", got)
		}
		// In turn 0 both are asked, and then one after the other.
		times := readTimes(b, log)
		for i := 4; i+1 < len(times); i += 2 {
			gaps = append(gaps, times[i].Sub(times[i-1]))
		}
		for range 20 {
			_ = os.Remove(log)
			began := time.Now()
			if err := m.command(pair).Run(); err != nil {
				b.Fatal(err)
			}
			all := time.Since(began)
			times := readTimes(b, log)
			bare = append(bare, all-times[1].Sub(times[0]))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric((median(gaps)-median(bare)).Seconds()*1000, "ms-between-turns")
	b.ReportMetric(median(bare).Seconds()*1000, "ms-program")
}

// pathOf is where a program of a machine is.
func pathOf(b *testing.B, m *machine, name string) string {
	b.Helper()
	for _, dir := range filepath.SplitList(variable(m.environ(), "PATH")) {
		if path := filepath.Join(dir, name); there(path) {
			return path
		}
	}
	b.Fatal(exec.ErrNotFound)
	return ""
}

// readTimes reads times in nanoseconds, one a line.
func readTimes(b *testing.B, path string) (times []time.Time) {
	b.Helper()
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		at, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Unix(0, at))
	}
	return times
}

// BenchmarkCrewReplay shows a crew of 10 agents and 500 messages, with version beside it. Budget: 200 ms.
func BenchmarkCrewReplay(b *testing.B) {
	program := buildProgram(b)
	m := newMachine(b)
	m.talkedCrew("k3x9ab2")
	for _, form := range []string{"json", "human"} {
		b.Run(form, func(b *testing.B) {
			args := []string{"--robot-format=json", "crew", "replay", "k3x9ab2"}
			if form == "human" {
				args = []string{"--human", "crew", "replay", "k3x9ab2"}
			}
			var took, version, worked []time.Duration
			for b.Loop() {
				version = append(version, m.timed(program, "", "version")())
				began := time.Now()
				cmd := m.command(program, args...)
				got := m.run(cmd)
				took = append(took, time.Since(began))
				worked = append(worked, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
				if n := strings.Count(got.stdout, "message number "); n != 500 {
					b.Fatalf("%d messages: %.2000s%s", n, got.stdout, got.stderr)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(took).Seconds()*1000, "ms")
			b.ReportMetric(median(worked).Seconds()*1000, "ms-cpu")
			b.ReportMetric(median(version).Seconds()*1000, "ms-version")
		})
	}
}

// talkedCrew puts a crew of 10 agents on record that wrote 500 messages of half a kilobyte.
func (m *machine) talkedCrew(id string) {
	m.t.Helper()
	path := filepath.Join(m.home, ".local", "share", "cupola", "cupola.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	s, err := store.Open(m.t.Context(), path, store.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	now := time.Now()
	c := &crew.Crew{
		ID: id, Prompt: "the task", Dir: "/", Sandbox: "read-only", Stage: crew.Headless, State: crew.Completed,
		Reason: crew.MaxTurns, Turn: 49, Limits: crew.DefaultLimits(), Started: now, Ended: now,
	}
	var events []crew.Event
	for i := range 10 {
		c.Members = append(c.Members, crew.Member{Name: fmt.Sprintf("a%d.one", i), Backend: "pair", Status: crew.Idle})
	}
	for i := range 500 {
		event := crew.Event{
			Type: crew.StatusChanged, Turn: i / 10, At: now, From: c.Members[i%10].Name,
			Status: crew.Active,
		}
		idle, note, message := event, event, event
		idle.Status = crew.Idle
		note.Type, note.Text = crew.Note, "a note"
		message.Type, message.To = crew.Message, c.Members[(i+1)%10].Name
		message.Text = fmt.Sprintf("message number %d %s", i, strings.Repeat("some words ", 50))
		message.Recipients = []string{message.To}
		events = append(events, event, idle, message, note)
	}
	if err := store.CrewsIn(s).Create(m.t.Context(), c, events); err != nil {
		m.t.Fatal(err)
	}
}
