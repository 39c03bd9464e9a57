package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
)

// countProgram prints numbers, slowly enough to be killed between them.
const countProgram = "#!/bin/sh\ncat >/dev/null\nfor n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.02; done\n"

// countSaid is its output.
const countSaid = "1\n2\n3\n4\n5\n6\n7\n8"

// listedRun is a row of run-list.
type listedRun struct {
	ID, State string
}

// runsListed are the runs of a kind that the index lists.
func (m *machine) runsListed(kind string) []listedRun {
	m.t.Helper()
	var out struct{ Runs []listedRun }
	got := m.cupola("--robot-format=json", "run", "list", "--limit=0", "--kind="+kind)
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		m.t.Fatalf("%v: %+v", err, got)
	}
	return out.Runs
}

// recorded are the ids of the runs whose record is in a folder of the state.
func (m *machine) recorded(folder, file string) (ids []string) {
	m.t.Helper()
	dir := filepath.Join(m.home, ".local", "state", "cupola", folder)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.t.Fatal(err)
	}
	for _, entry := range entries {
		if _, err := os.Stat(filepath.Join(dir, entry.Name(), file)); err == nil {
			ids = append(ids, entry.Name())
		}
	}
	return ids
}

// indexIsTrue compares the index with the records of a kind: it lists each of them, and its other entries have no
// record yet.
func (m *machine) indexIsTrue(kind, folder, file string) []listedRun {
	m.t.Helper()
	listed, recorded := m.runsListed(kind), m.recorded(folder, file)
	for _, one := range listed {
		i := slices.Index(recorded, one.ID)
		switch {
		case i >= 0:
			recorded = slices.Delete(recorded, i, i+1)
		case one.State != "pending":
			m.t.Errorf("%s is listed as %s, and has no record", one.ID, one.State)
		}
	}
	if len(recorded) > 0 {
		m.t.Errorf("not listed are %v", recorded)
	}
	return listed
}

// TestDeepRelaysThatAreKilledLoseNothing kills the program at random moments of relays: each that began is listed, no
// backend is left, and what was answered until then is shown.
func TestDeepRelaysThatAreKilledLoseNothing(t *testing.T) {
	enginetest.Deep(t)
	random := enginetest.Random(t)
	m := newMachine(t)
	m.crewBackend("ring", countProgram)
	run := []string{"relay", "count", "--to=ring"}
	began := time.Now()
	if got := m.cupola(run...); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	took := time.Since(began)
	whole, kills, tries, partial := countSaid+"\n", 0, 0, 0
	for ; kills < 30 && tries < 200; tries++ {
		if m.killed(time.Duration(random.Int64N(int64(took))), run...) {
			kills++
		}
	}
	for _, one := range m.indexIsTrue("relay", "relays", "relay.json") {
		var out struct {
			Results []struct{ State, Text string }
		}
		got := m.cupola("--robot-format=json", "relay-show", one.ID)
		if one.State == "pending" && got.status != 0 {
			continue // it has no record
		}
		if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || len(out.Results) != 1 {
			t.Fatalf("%s: %v %+v", one.ID, err, got)
		}
		result := out.Results[0]
		switch {
		case result.State != one.State:
			t.Errorf("%s is listed as %s, and is %s", one.ID, one.State, result.State)
		case !slices.Contains([]string{"done", "interrupted", "pending"}, result.State):
			t.Errorf("%s is %s", one.ID, result.State)
		case result.State == "done" && result.Text != countSaid, !strings.HasPrefix(whole, result.Text):
			t.Errorf("%s, which is %s, said %q", one.ID, result.State, result.Text)
		case result.State == "interrupted" && result.Text != "":
			partial++
		}
	}
	if kills < 30 || partial == 0 {
		t.Errorf("%d kills, of which %d cut an answer", kills, partial)
	}
	t.Logf("%d kills in %d relays, of which %d cut an answer; one that is not takes %s", kills, tries, partial, took)
}

// panelProgram answers with a value, ranks the greatest value first, and sums up by repeating the values.
const panelProgram = `#!/bin/sh
in=$(cat)
sleep 0.03
case $in in
*"Rank these answers"*)
	printf '%s\n' "$in" | awk '/^<answer /{l=$2} /^value /{print $2, l}' | sort -rn |
		awk '{printf "%s\"%s\"", s, $2; s=","}' | sed 's/.*/{"ranking":[&]}/' ;;
*"Sum up:"*) printf '%s\n' "$in" | awk '/^value /{print $2}' | sort ;;
*) echo "value $(basename $0)" ;;
esac
`

// panelShown is the part of a panel that a test compares: the states, texts and rankings of all calls.
func (m *machine) panelShown(id string) string {
	m.t.Helper()
	type call struct {
		Backend, State, Text string
		Ranked               []string
	}
	var out struct {
		Results []struct {
			State, Text string
			Warnings    []string
			Rounds      struct {
				Answers []call
				Ranking struct {
					Standings []struct {
						Backend  string
						Rank     int
						MeanRank float64 `json:"mean_rank"`
					}
					Judges []call
				}
				Chair call
			}
		}
	}
	got := m.cupola("--robot-format=json", "relay-show", id)
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || len(out.Results) != 1 {
		m.t.Fatalf("%s: %v %+v", id, err, got)
	}
	judges := out.Results[0].Rounds.Ranking.Judges
	for i := range judges {
		judges[i].Text = "" // its labels differ between panels
	}
	text, err := json.Marshal(out.Results[0])
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// TestDeepPanelsThatAreKilledLoseNothing kills the program at random moments of panels with three rounds, and resumes
// each: at its end it equals a panel that was never killed, with seven calls on record.
func TestDeepPanelsThatAreKilledLoseNothing(t *testing.T) {
	enginetest.Deep(t)
	random := enginetest.Random(t)
	m := newMachine(t)
	for _, name := range []string{"arring", "bering", "caring"} {
		m.crewBackend(name, strings.ReplaceAll(panelProgram, "$(basename $0)", strconv.Itoa(int(name[0]))))
	}
	start := []string{"relay", "count", "--to=arring,bering,caring", "--rank", "--chair=bering"}
	began := time.Now()
	if got := m.cupola(start...); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	took := time.Since(began)
	first := m.runsListed("relay")[0].ID
	want := m.panelShown(first)
	kills, panels, refused := 0, 0, 0
	for ; kills < 30 && panels < 60; panels++ {
		args, id := start, ""
		for again := true; again; {
			if kills < 30 && m.killed(time.Duration(random.Int64N(int64(took))), args...) {
				kills++
			} else if kills >= 30 && m.cupola(args...).status != 0 {
				refused++ // it began, and nothing of it was on record
				break
			}
			newest := m.runsListed("relay")[0]
			if again = newest.ID == first || newest.State != "done"; newest.ID != first {
				id = newest.ID
				args = []string{"relay", "--resume=" + id}
			}
			if newest.State == "pending" {
				refused, id = refused+1, "" // it was killed before its plan was on record: nothing was asked
				break
			}
		}
		if listed := m.runsListed("relay"); len(listed) > 0 {
			first = listed[0].ID
		}
		if id == "" {
			continue
		}
		if got := m.panelShown(id); got != want {
			t.Fatalf("the record is\n%s\nwant\n%s", got, want)
		}
		records := filepath.Join(m.home, ".local", "state", "cupola", "relays")
		calls, err := filepath.Glob(filepath.Join(records, id, "*", "*", "relay.json"))
		if err != nil || len(calls) != 7 {
			t.Errorf("%d calls are on record, %v", len(calls), err)
		}
	}
	if kills < 30 || refused > panels/2 {
		t.Errorf("%d kills in %d panels, of which %d had not started", kills, panels, refused)
	}
	t.Logf("%d kills in %d panels; one that is not takes %s", kills, panels, took)
}

// countPipeline asks six times; a step that was cut off may be repeated.
func countPipeline() string {
	text := ""
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		text += "[[step]]\nname = \"" + name + "\"\nverb = \"relay\"\nrepeatable = true\n" +
			"args = {prompt = \"count " + name + "\", to = [\"ring\"]}\n"
	}
	return text
}

// TestDeepPipelinesThatAreKilledLoseNothing kills the program at random moments of pipelines, and resumes each: at
// its end all steps are done, in their order, and none that was done ran again.
func TestDeepPipelinesThatAreKilledLoseNothing(t *testing.T) {
	enginetest.Deep(t)
	random := enginetest.Random(t)
	m := newMachine(t)
	m.crewBackend("ring", strings.ReplaceAll(countProgram, "0.02", "0.005"))
	file := filepath.Join(m.home, "count.toml")
	if err := os.WriteFile(file, []byte(countPipeline()), 0o600); err != nil {
		t.Fatal(err)
	}
	start := []string{"pipeline-run", file}
	began := time.Now()
	if got := m.cupola(start...); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	took := time.Since(began)
	kills, runs := 0, 1
	for kills < 20 && runs < 60 {
		args := start
		for {
			after := time.Duration(random.Int64N(int64(took)))
			if kills >= 20 {
				after = testTimeout
			}
			if m.killed(after, args...) {
				kills++
			}
			newest := m.indexIsTrue("pipeline", "pipelines", "run.json")
			if len(newest) == runs {
				continue // it was killed before it was on record
			}
			if newest[0].State == "done" {
				runs++
				break
			}
			if newest[0].State != "pending" || len(m.recorded("pipelines", "run.json")) == len(newest) {
				args = []string{"pipeline-run", "--resume=" + newest[0].ID}
				continue
			}
			runs++ // it has no record, and is not gone on with
			break
		}
	}
	for _, one := range m.runsListed("pipeline") {
		var out struct {
			State string
			Steps []struct {
				Name, State string
			}
		}
		got := m.cupola("--robot-format=json", "pipeline-status", one.ID)
		if got.status != 0 && one.State == "pending" {
			continue
		}
		if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
			t.Fatalf("%v: %+v", err, got)
		}
		names := ""
		for _, step := range out.Steps {
			if names += step.Name; step.State != "done" {
				t.Errorf("the step %s of %s is %s", step.Name, one.ID, step.State)
			}
		}
		if out.State != "done" || names != "abcdef" {
			t.Errorf("%s is %s with the steps %s", one.ID, out.State, names)
		}
	}
	if kills < 20 {
		t.Errorf("%d kills", kills)
	}
	t.Logf("%d kills in %d pipelines; one that is not takes %s", kills, runs, took)
}
