package relay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay/stream"
)

// member is a script of a backend that answers with a value, ranks the greatest value first, and sums up by repeating
// the values that it got. It keeps every prompt in a folder, and each call costs a cent.
func member(dir, name string, value int) string {
	return fmt.Sprintf(`in=$(mktemp %[1]s/%[2]s.XXXXXX)
cat >$in
case $(cat $in) in
*"Rank these answers"*)
	said=$(awk '/^<answer /{l=$2} /^value /{print $2, l}' $in | sort -rn |
		awk '{printf "%%s\\\"%%s\\\"", s, $2; s=","}')
	said="{\\\"ranking\\\":[$said]}" ;;
*"Sum up:"*) said=$(awk '/^value /{print $2}' $in | sort | tr '\n' ' ') ;;
*) said="value %[3]d" ;;
esac
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m-1"}'
usage='"total_cost_usd":0.01,"usage":{"input_tokens":7,"output_tokens":3}'
echo '{"type":"result","session_id":"s-1","result":"'"$said"'",'"$usage"'}'`,
		dir, name, value)
}

// panel is a panel of backends with scripts, and the folder with the prompts that they got.
type panel struct {
	*Runner
	t       *testing.T
	prompts string
	names   []string
}

// newPanel makes a panel; an empty script makes a member whose value is its number from 1.
func newPanel(t *testing.T, scripts ...string) *panel {
	t.Helper()
	p := &panel{newRunner(t, "claude", says), t, t.TempDir(), nil}
	p.Relay.Backends = nil
	for i, script := range scripts {
		name := []string{"alpha", "beta", "gamma", "delta"}[i]
		if script == "" {
			script = member(p.prompts, name, i+1)
		}
		one := asker(t)
		one.Backends[0].ID, one.Backends[0].Name = name, name
		one.Backends[0].program.Format = "claude"
		runsScript(t, one, script)
		p.Relay.Backends, p.names = append(p.Relay.Backends, one.Backends[0]), append(p.names, name)
		p.Relay.Environ = one.Environ
	}
	return p
}

// plan plans a panel of all; no chair sums up if that is empty.
func (p *panel) plan(rank bool, chair string) *Plan {
	p.t.Helper()
	var plans []*Plan
	var summing *Plan
	for _, name := range append(slices.Clone(p.names), chair) {
		if name == "" {
			continue
		}
		plan, err := p.Plan(p.t.Context(), Request{Prompt: "why?", Backend: name, Timeout: time.Minute})
		if err != nil {
			p.t.Fatal(err)
		}
		if plans = append(plans, plan); len(plans) > len(p.names) {
			summing = plan
		}
	}
	return PlanRounds(plans[:len(p.names)], rank, summing)
}

// asked are the prompts that the backends got whose text has a part.
func (p *panel) asked(part string) (prompts []string) {
	files, err := filepath.Glob(filepath.Join(p.prompts, "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		if strings.Contains(string(text), part) {
			prompts = append(prompts, string(text))
		}
	}
	return prompts
}

// ranks are the standings in words.
func ranks(r *Record) (rows []string) {
	for _, s := range r.Rounds.Ranking.Standings {
		rows = append(rows, fmt.Sprintf("%s %s %.2f/%d", s.RankText(), s.Backend, s.MeanRank, s.Rankings))
	}
	return rows
}

func TestAPanelRanksItsAnswersAndAChairSumsUp(t *testing.T) {
	p := newPanel(t, "", "", "")
	var heard []string
	record, err := p.Ask(t.Context(), p.plan(true, "beta"), "why?", func(e Event) {
		if e.Type == stream.Call {
			heard = append(heard, e.Tool+" "+e.Status)
		}
	})
	if err != nil || record.State != Done || strings.TrimSpace(record.Text) != "1 2 3" || len(record.Warnings) > 0 {
		t.Fatalf("%+v, %v", record, err)
	}
	want := []string{"1 gamma 1.00/2", "2 beta 1.50/2", "3 alpha 2.00/2"}
	if got := ranks(record); !slices.Equal(got, want) {
		t.Errorf("ranked are %q, not %q", got, want)
	}
	if len(heard) != 14 || heard[13] != "the summary of beta completed" {
		t.Errorf("heard are %q", heard)
	}
	if record.CostUSD < 0.0699 || record.CostUSD > 0.0701 || record.CostSource != costOfAgent ||
		record.Used.Total() != 70 || record.Model != "m-1" || record.Backend != "alpha,beta,gamma" {
		t.Errorf("7 calls cost %v by %s: %+v", record.CostUSD, record.CostSource, record.Used)
	}
	used, err := os.ReadFile(p.Directory.UsageFile())
	if err != nil || strings.Count(string(used), `"input_tokens":7`) != 7 {
		t.Errorf("counted is %s, %v", used, err)
	}
	judged := p.asked("Rank these answers")
	if len(judged) != 3 || len(p.asked("Sum up:")) != 1 || len(p.asked("why?")) != 7 {
		t.Fatalf("%d rank of %d calls", len(judged), len(p.asked("why?")))
	}
	for _, prompt := range append(judged, p.asked("Sum up:")...) {
		for _, name := range append(p.names, "m-1") {
			if strings.Contains(prompt, name) {
				t.Errorf("a judge is told of %s:\n%s", name, prompt)
			}
		}
	}
	all, err := p.Directory.All()
	if err != nil || len(all) != 1 || all[0].Head().Error != "" {
		t.Errorf("on record are %+v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Join(p.Directory.Dir, record.ID, planFile)); !os.IsNotExist(err) {
		t.Errorf("the plan is left: %v", err)
	}
}

// TestLabelsSayNothing gives the same answers to many readers: each answer has each label for some of them.
func TestLabelsSayNothing(t *testing.T) {
	answers := []Record{{Backend: "a"}, {Backend: "b"}, {Backend: "c"}}
	orders := map[string]bool{}
	for i := range 60 {
		var order string
		for _, r := range shuffled("k3x9ab2c", fmt.Sprint(i), answers) {
			order += r.Backend
		}
		orders[order] = true
	}
	if len(orders) != 6 {
		t.Errorf("orders are %v", orders)
	}
	if got := labels(28); got[0] != "A" || got[25] != "Z" || got[26] != "A2" {
		t.Errorf("labels are %q", got)
	}
}

// TestWhatFailsInAPanelIsLeftOutAndSaid has a backend that fails, and judges whose ranking is not one.
func TestWhatFailsInAPanelIsLeftOutAndSaid(t *testing.T) {
	const fails, unsure = "cat >/dev/null; echo broken >&2; exit 3", `cat >/dev/null
echo '{"type":"result","session_id":"s-1","result":"A or B","usage":{"input_tokens":7,"output_tokens":3}}'`
	p := newPanel(t, "", "", "", fails)
	record, err := p.Ask(t.Context(), p.plan(true, "alpha"), "why?", nil)
	if err != nil || len(record.Warnings) != 1 ||
		!strings.HasPrefix(record.Warnings[0], "the answer of delta is left out: ") ||
		len(record.Rounds.Ranking.Judges) != 3 {
		t.Errorf("%q, %v", record.Warnings, err)
	}
	p = newPanel(t, "", "", unsure)
	record, err = p.Ask(t.Context(), p.plan(true, ""), "why?", nil)
	// The third has no value for the others to sort by, and its own ranking is none.
	if err == nil || !core.AsError(err).HasCode(core.DecodeFailed) || record.State != Failed ||
		!strings.Contains(record.Warnings[2], "of gamma is left out: its ranking cannot be read: it is no JSON") ||
		!strings.Contains(err.Error(), "it has 1 of 2 labels") || len(record.Warnings) != 3 {
		t.Errorf("%+v: %v", record, err)
	}
	record, err = p.Ask(t.Context(), p.plan(true, "beta"), "why?", nil)
	if err != nil || strings.TrimSpace(record.Text) != "1 2" || len(record.Warnings) != 3 ||
		len(record.Rounds.Ranking.Standings) != 0 {
		t.Errorf("%+v: %v", record, err)
	}
	p = newPanel(t, "", "", fails)
	record, err = p.Ask(t.Context(), p.plan(true, "beta"), "why?", nil)
	if err != nil || !strings.Contains(strings.Join(record.Warnings, "\n"), "nothing is ranked: 2 answers came") ||
		record.Rounds.Ranking != nil || strings.TrimSpace(record.Text) != "1 2" {
		t.Errorf("%+v: %v", record, err)
	}
	record, err = p.Ask(t.Context(), p.plan(true, ""), "why?", nil)
	if !core.AsError(err).HasCode(core.BackendFailed) || record.State != Failed ||
		!strings.HasPrefix(record.Error, "2 answers came, and the next round takes 3: gamma failed: ") {
		t.Errorf("%+v: %v", record, err)
	}
}

func TestARankingHasEachLabelOnce(t *testing.T) {
	ballot := []Record{{Backend: "x"}, {Backend: "y"}, {Backend: "z"}}
	for _, c := range []struct{ text, want, wrong string }{
		{text: `{"ranking":["C","A","B"]}`, want: "z x y"},
		{text: "Here:\n```json\n{\"ranking\":[\"A\",\"B\",\"C\"]}\n```", want: "x y z"},
		{text: `{"ranking":["A","B"]}`, wrong: "2 of 3 labels"},
		{text: `{"ranking":["A","B","A"]}`, wrong: `"A" twice`},
		{text: `{"ranking":["A","B","C","C"]}`, wrong: `"C" twice`},
		{text: `{"ranking":["A","B","D"]}`, wrong: `"D" is no label`},
		{text: `{"ranking":["a","b","c"]}`, wrong: `"a" is no label`},
		{text: `{"ranking":["A > B > C"]}`, wrong: `no label`},
		{text: `{"ranking":[]}`, wrong: "0 of 3"},
		{text: `{}`, wrong: "0 of 3"},
		{text: `C, A, B`, wrong: "no JSON"},
		{text: `{"ranking":["A","B","C"]} {"ranking":["C","B","A"]}`, wrong: "no JSON"},
		{text: "", wrong: "no JSON"},
	} {
		got, err := readRanking(c.text, ballot)
		switch {
		case c.wrong == "" && (err != nil || strings.Join(got, " ") != c.want):
			t.Errorf("%s: %q, %v", c.text, got, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || len(got) > 0):
			t.Errorf("%s: %q, %v; want %q", c.text, got, err, c.wrong)
		}
	}
}

func TestAnswersWithTheSameMeanShareARank(t *testing.T) {
	answers := []Record{{Backend: "a"}, {Backend: "b"}, {Backend: "c"}, {Backend: "d"}}
	for _, c := range []struct {
		rankings []string
		want     string
	}{
		{[]string{"bcd", "acd", "abd", "abc"}, "1 a 1.00/3, 2 b 1.67/3, 3 c 2.33/3, 4 d 3.00/3"},
		{[]string{"bcd", "acd", "bad", "bac"}, "1 b 1.00/3, 2 a 1.67/3, 3 c 2.33/3, 4 d 3.00/3"},
		{[]string{"bcd", "adc", "abd", "abc"}, "1 a 1.00/3, 2 b 1.67/3, 3 (tied) c 2.67/3, 3 (tied) d 2.67/3"},
		{[]string{"", "acd", "", ""}, "1 a 1.00/1, 2 c 2.00/1, 3 d 3.00/1"},
		{[]string{"bcd", "acd", "", ""}, "1 (tied) a 1.00/1, 1 (tied) b 1.00/1, 3 c 2.00/2, 4 d 3.00/2"},
		{[]string{"", "", "", ""}, ""},
	} {
		r := &Ranking{}
		for _, ranked := range c.rankings {
			judge := Judge{}
			if ranked != "" {
				judge.Ranked = strings.Split(ranked, "")
			}
			r.Judges = append(r.Judges, judge)
		}
		r.count(answers)
		if got := strings.Join(ranks(&Record{Rounds: &Rounds{Ranking: r}}), ", "); got != c.want {
			t.Errorf("%q: %s; want %s", c.rankings, got, c.want)
		}
		if len(r.Standings)+len(r.Unranked) != len(answers) {
			t.Errorf("%q leaves out: %+v", c.rankings, r)
		}
	}
	tied := &Ranking{Standings: []Standing{{Backend: "a", Rank: 1, Tied: true}, {Backend: "b", Rank: 1, Tied: true}}}
	answers[0].Text, answers[1].Text = "one", "two"
	if got := best(tied, answers); got != "a:\n\none\n\nb:\n\ntwo" {
		t.Errorf("the best are %q", got)
	}
}

// TestAPanelThatWasCutOffContinues leaves a panel as a process that was killed would, after each of its calls: one that
// ended is not repeated, and the end equals the reference.
func TestAPanelThatWasCutOffContinues(t *testing.T) {
	reference := newPanel(t, "", "", "")
	want, err := reference.Ask(t.Context(), reference.plan(true, "beta"), "why?", nil)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range 7 {
		p := newPanel(t, "", "", "")
		plan := p.plan(true, "beta")
		record, err := p.Directory.New(t.Context(), plan, "why?", time.Now())
		if err == nil {
			err = p.Directory.savePlan(record.ID, plan, "why?")
		}
		if err != nil {
			t.Fatal(err)
		}
		ctx, kill := context.WithCancel(t.Context())
		ended := 0
		first, err := p.Carry(ctx, record.ID, plan, "why?", func(e Event) {
			if e.Type == stream.Call && e.Status == "completed" {
				ended++
				if ended > cut {
					kill()
				}
			}
		})
		kill()
		done := len(p.asked("why?"))
		if cut < 6 && !core.AsError(err).HasCode(core.Cancelled) {
			t.Fatalf("cut after %d: %v", cut, err)
		}
		// A process that was killed says neither that it was, nor that a call of it was.
		first.State, first.Ended = Running, time.Time{}
		if err := p.Directory.files().Save(first); err != nil {
			t.Fatal(err)
		}
		if err := p.Directory.savePlan(record.ID, plan, "why?"); err != nil {
			t.Fatal(err)
		}
		lost, err := p.Directory.Load(record.ID)
		if err != nil || !lost.Resumable() || lost.Head().Reason != run.RoundsLeft {
			t.Fatalf("%+v, %v", lost, err)
		}
		got, err := p.Resume(t.Context(), record.ID)
		if err != nil || got.Text != want.Text || !slices.Equal(ranks(got), ranks(want)) || len(got.Warnings) > 0 {
			t.Errorf("cut after %d: %+v, %v", cut, got, err)
		}
		if again := len(p.asked("why?")); again < done || again > 7+3 {
			t.Errorf("cut after %d: %d calls, then %d", cut, done, again)
		}
		if _, err := p.Resume(t.Context(), record.ID); err == nil {
			t.Error("it continues after its end")
		}
	}
}

func TestAPanelWaitsForAUsageLimitOfOne(t *testing.T) {
	p := newPanel(t, "", "", "")
	asked := filepath.Join(p.prompts, "limited")
	runsScript(t, &Relay{Backends: p.Relay.Backends[1:]}, fmt.Sprintf(`if ! [ -e '%[1]s' ]; then
	touch '%[1]s'; cat >/dev/null
	echo "You've hit your usage limit. Try again in 400ms." >&2
	exit 1
fi
`, asked)+member(p.prompts, "beta", 2))
	plan := p.plan(false, "alpha")
	for _, one := range plan.Members {
		one.Limits = run.LimitPolicy{OnLimit: run.WaitForReset}
	}
	record, err := p.Directory.New(t.Context(), plan, "why?", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error)
	go func() {
		_, err := p.Carry(t.Context(), record.ID, plan, "why?", nil)
		over <- err
	}()
	if h := waits(t, p.Runner, record.ID).Head(); h.State != Running {
		t.Errorf("it is %s", h.State)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	record, err = p.Directory.Load(record.ID)
	if err != nil || record.State != Done || !record.Until.IsZero() || strings.TrimSpace(record.Text) != "1 2 3" {
		t.Errorf("%+v, %v", record, err)
	}
}
