package usage_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/agent/usage"
	"cupola/core/record/store"
)

// fixture is a home with transcripts, and the ledger that reads them.
type fixture struct {
	home   string
	ledger *usage.Ledger
	store  *store.Store
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	home := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(home, "cupola.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b := &fixture{home: home, store: s}
	b.ledger = usage.New(usage.Options{
		Env:    func(name string) string { return map[string]string{"HOME": home}[name] },
		Relays: filepath.Join(home, "relays", "usage.jsonl"),
		Write:  func(context.Context) (*store.Store, error) { return s, nil },
		Read:   func(context.Context) (*store.Store, error) { return s, nil },
		Prices: usage.DefaultPrices(map[string]usage.Price{
			"plain": {Input: 1, Output: 10}, "banded": {Input: 1, Output: 10, Above: 1000, Times: 2},
		}),
	})
	return b
}

// put writes a transcript, with the time of change that is wanted.
func (b *fixture) put(t testing.TB, path string, at time.Time, lines ...string) string {
	t.Helper()
	return b.write(t, path, at, strings.Join(lines, "\n")+"\n")
}

func (b *fixture) write(t testing.TB, path string, at time.Time, text string) string {
	t.Helper()
	path = filepath.Join(b.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// writing is an agent of a session that may write transcripts.
func writing(session, agent string, kind core.Kind, w transcript.Writer) transcript.Writer {
	w.PaneRef = core.PaneRef{Session: session, Agent: agent, Kind: kind}
	return w
}

func (b *fixture) refresh(t testing.TB, writers ...transcript.Writer) usage.Read {
	t.Helper()
	read, err := b.ledger.Refresh(t.Context(), writers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func (b *fixture) sum(t testing.TB, q usage.Query) usage.Sum {
	t.Helper()
	sum, err := b.ledger.Sum(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// total returns the usage: requests, input, cache reads and writes, output.
func (b *fixture) total(t testing.TB) string {
	t.Helper()
	a := b.sum(t, usage.Query{Group: usage.ByDay}).Total
	return fmt.Sprintf("%d: %d %d %d+%d %d(%d)", a.Requests, a.Input, a.CacheRead, a.CacheWrite, a.CacheLong, a.Output,
		a.Reasoning)
}

func (b *fixture) expect(t testing.TB, want string) {
	t.Helper()
	b.refresh(t)
	if got := b.total(t); got != want {
		t.Errorf("used %s, want %s", got, want)
	}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const claudePath = ".claude/projects/-src-api/97d00d8d.jsonl"

// claudeSays is a line of a request of Claude's.
func claudeSays(id, model string, input, output int) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":"97d00d8d","cwd":"/src/api","timestamp":"2026-11-20T11:00:00.000Z","requestId":%q,"message":{"id":%q,"model":%q,"usage":{"input_tokens":%d,"output_tokens":%d}}}`, id, "m-"+id, model, input, output)
}

func TestARequestThatIsWrittenSeveralTimesCountsOnceAndAsLast(t *testing.T) {
	b := newFixture(t)
	b.put(t, claudePath, noon,
		claudeSays("r1", "plain", 100, 1), claudeSays("r1", "plain", 100, 2), `{"type":"user"}`,
		claudeSays("r1", "plain", 100, 7), claudeSays("r2", "plain", 10, 5),
		claudeSays("r3", "<synthetic>", 1000, 1000))
	b.expect(t, "2: 110 0 0+0 12(0)")
	same := strings.NewReplacer(`"requestId":"r1"`, `"requestId":"same"`, `"requestId":"r2"`, `"requestId":"same"`)
	other := newFixture(t)
	other.put(t, claudePath, noon, same.Replace(claudeSays("r1", "plain", 100, 1)),
		same.Replace(claudeSays("r2", "plain", 10, 5)))
	other.expect(t, "2: 110 0 0+0 6(0)")
	// A copy of it, in the transcript of a session that was forked, is the same.
	b.put(t, ".claude/projects/-src-api/aaaaaaaa.jsonl", noon.Add(time.Minute), claudeSays("r1", "plain", 100, 9),
		claudeSays("r4", "plain", 1, 1))
	b.expect(t, "3: 111 0 0+0 13(0)")
	b.put(t, ".claude/projects/-src-api/97d00d8d/subagents/agent-1.jsonl", noon, claudeSays("r5", "plain", 1000, 0))
	b.expect(t, "4: 1111 0 0+0 13(0)")
}

func TestOnlyWhatWasAppendedIsRead(t *testing.T) {
	b := newFixture(t)
	first := claudeSays("r1", "plain", 100, 1) + "\n"
	path := b.write(t, claudePath, noon, first)
	if read := b.refresh(t); read.Changed != 1 || read.Bytes != int64(len(first)) {
		t.Errorf("at first %+v", read)
	}
	if read := b.refresh(t); read.Changed != 0 || read.Files != 1 {
		t.Errorf("unchanged %+v", read)
	}
	// What is broken before is not looked at again; the last of r1 counts still.
	more := claudeSays("r1", "plain", 100, 5) + "\n" + claudeSays("r2", "plain", 1, 1)
	b.write(t, claudePath, noon.Add(time.Second), first+more)
	if read := b.refresh(t); read.Changed != 1 || read.Bytes != int64(len(more)) {
		t.Errorf("appended %+v", read)
	}
	if got := b.total(t); got != "1: 100 0 0+0 5(0)" {
		t.Errorf("a half-written line was not left to wait: %s", got)
	}
	b.write(t, claudePath, noon.Add(2*time.Second), first+more+"\n")
	b.expect(t, "2: 101 0 0+0 6(0)")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.expect(t, "2: 101 0 0+0 6(0)")
}

func TestAFileThatWasCutOrReplacedIsReadAgain(t *testing.T) {
	for name, lines := range map[string][]string{
		"cut": {claudeSays("r1", "plain", 100, 1)},
		"replaced": {
			claudeSays("r8", "plain", 100, 1), claudeSays("r9", "plain", 5, 5),
			claudeSays("r7", "plain", 5, 5),
		},
	} {
		b := newFixture(t)
		b.put(t, claudePath, noon, claudeSays("r1", "plain", 100, 1), claudeSays("r2", "plain", 1000, 1))
		b.refresh(t)
		b.put(t, claudePath, noon.Add(time.Second), lines...)
		b.refresh(t)
		want := map[string]string{"cut": "1: 100 0 0+0 1(0)", "replaced": "3: 110 0 0+0 11(0)"}[name]
		if got := b.total(t); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestADocumentThatIsBeingWrittenCountsAsBefore(t *testing.T) {
	b := newFixture(t)
	const path = ".gemini/tmp/api/chats/session-1.json"
	message := func(id string, input int) string {
		return fmt.Sprintf(`{"id":%q,"timestamp":"2026-11-20T11:00:00.000Z","type":"gemini","model":"plain","tokens":{"input":%d,"output":1}}`, id, input)
	}
	document := func(messages ...string) string {
		return `{"sessionId":"s","messages":[` + strings.Join(messages, ",") + "]}"
	}
	b.write(t, path, noon, document(message("1", 10)))
	b.expect(t, "1: 10 0 0+0 1(0)")
	whole := document(message("1", 10), message("2", 100))
	b.write(t, path, noon.Add(time.Second), whole[:len(whole)/2])
	b.expect(t, "1: 10 0 0+0 1(0)")
	b.write(t, path, noon.Add(time.Second), whole)
	b.expect(t, "2: 110 0 0+0 2(0)")
}

func TestTheAgentsOwnFigureIsTheCost(t *testing.T) {
	b := newFixture(t)
	state := func(cost float64) string {
		return fmt.Sprintf(`{"type":"cost-state","sessionId":"97d00d8d","modelUsage":{"plain[1m]":{"costUSD":%g},"quiet":{"inputTokens":7,"costUSD":0.5}}}`, cost)
	}
	b.put(t, claudePath, noon, claudeSays("r1", "plain", 100, 0), claudeSays("r2", "plain", 300, 0), state(8))
	b.refresh(t)
	sum := b.sum(t, usage.Query{Group: usage.ByModel})
	if len(sum.Rows) != 2 || sum.Rows[0].Cost != 8 || sum.Rows[0].Source != usage.FromAgent ||
		sum.Rows[1].Key != "quiet" || sum.Rows[1].Cost != 0.5 {
		t.Errorf("%+v", sum)
	}
	// What comes later has no figure until the agent gives one again.
	later := strings.ReplaceAll(claudeSays("r3", "plain", 1_000_000, 0), "T11:", "T12:")
	lines := []string{claudeSays("r1", "plain", 100, 0), claudeSays("r2", "plain", 300, 0), state(8), later}
	b.put(t, claudePath, noon.Add(time.Hour), lines...)
	b.refresh(t)
	if row := b.sum(t, usage.Query{Group: usage.ByModel}).Rows[0]; math.Abs(row.Cost-9) > 1e-9 ||
		row.Source != usage.Mixed {
		t.Errorf("%+v", row)
	}
	b.put(t, claudePath, noon.Add(2*time.Hour), append(lines, state(20))...)
	b.refresh(t)
	if row := b.sum(t, usage.Query{Group: usage.ByModel}).Rows[0]; math.Abs(row.Cost-20) > 1e-9 ||
		row.Source != usage.FromAgent {
		t.Errorf("%+v", row)
	}
}

func TestWithoutAFigureTheTableTells(t *testing.T) {
	b := newFixture(t)
	b.put(t, claudePath, noon,
		claudeSays("r1", "plain", 1_000_000, 100_000), claudeSays("r2", "banded-20260101", 1000, 0),
		claudeSays("r3", "banded", 1001, 0), claudeSays("r4", "nobody-knows-it", 50, 0))
	b.refresh(t)
	for _, row := range b.sum(t, usage.Query{Group: usage.ByModel}).Rows {
		want := map[string]struct {
			cost   float64
			source string
		}{
			"plain": {2, usage.FromTable}, "banded-20260101": {0.001, usage.FromTable},
			"banded": {0.002002, usage.FromTable}, "nobody-knows-it": {0, usage.FromNowhere},
		}[row.Key]
		if math.Abs(row.Cost-want.cost) > 1e-9 || row.Source != want.source ||
			(row.Unpriced > 0) != (want.source == usage.FromNowhere) {
			t.Errorf("%+v, want %+v", row, want)
		}
	}
}

func TestPricesAreFoundByTheNamesThatAgentsUse(t *testing.T) {
	prices := usage.DefaultPrices(map[string]usage.Price{"Mine": {Input: 7}})
	for name, input := range map[string]float64{
		"claude-opus-5-5": 4, "claude-opus-4-5-20251101": 5, "claude-sonnet-4-20250514[1m]": 3,
		"us.anthropic.claude-opus-4-5-20251101-v1:0": 5, "anthropic/claude-haiku-4-5@20251001": 1, "gpt-6.1-sol": 2,
		"gpt-5-2025-08-07": 1.25, "models/gemini-2.5-pro": 1.25, "mine": 7,
	} {
		if price, known := prices.Of(name); !known || price.Input != input {
			t.Errorf("%s: %+v, %v", name, price, known)
		}
	}
	for _, name := range []string{"", "claude", "gpt-6-sol-mini", "opus"} {
		if price, known := prices.Of(name); known {
			t.Errorf("%s: %+v", name, price)
		}
	}
	if _, err := time.Parse(time.DateOnly, prices.AsOf); err != nil {
		t.Error(err)
	}
}

func TestCodexIsCountedByItsRecordsOrItsTotals(t *testing.T) {
	meta := `{"type":"session_meta","payload":{"id":"s1","cwd":"/src/api"}}`
	context := `{"type":"turn_context","payload":{"model":"plain"}}`
	count := func(second, total int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-20T11:00:%02dZ","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":%d},"last_token_usage":{"input_tokens":1500,"cached_input_tokens":100,"output_tokens":42,"reasoning_output_tokens":10}}}}`, second, total)
	}
	record := func(second int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-20T11:00:%02dZ","type":"token_usage_record","payload":{"response_id":"r%d","usage":{"input_tokens":1500,"cached_input_tokens":100,"output_tokens":42,"reasoning_output_tokens":10}}}`, second, second)
	}
	const path = ".codex/sessions/2026/11/20/rollout-2026-11-20T21-28-00-s1.jsonl"
	b := newFixture(t)
	b.put(t, path, noon, meta, context, count(1, 1542), count(2, 1542),
		`{"type":"event_msg","payload":{"type":"token_count","info":null}}`)
	b.expect(t, "1: 1400 100 0+0 42(10)")
	// The total that was read last is remembered.
	b.put(t, path, noon.Add(time.Second), meta, context, count(1, 1542), count(2, 1542),
		`{"type":"event_msg","payload":{"type":"token_count","info":null}}`, count(3, 1542), count(4, 3084))
	b.expect(t, "2: 2800 200 0+0 84(20)")
	b = newFixture(t)
	b.put(t, path, noon, meta, context, record(1), count(1, 1542), record(2), count(2, 3084))
	b.expect(t, "2: 2800 200 0+0 84(20)")
	if sum := b.sum(t, usage.Query{Group: usage.ByModel}); sum.Rows[0].Key != "plain" {
		t.Errorf("%+v", sum.Rows)
	}
}

func TestSubAgentsAndEarlierSessionsAreTheirAgents(t *testing.T) {
	b := newFixture(t)
	put := func(id, meta string) {
		b.put(t, ".codex/sessions/2026/11/20/rollout-2026-11-20T21-28-00-"+id+".jsonl", noon,
			`{"type":"session_meta","payload":{`+meta+`,"cwd":"/src/api"}}`,
			`{"timestamp":"2026-11-20T11:00:01Z","type":"token_usage_record","payload":{"response_id":"`+id+
				`","usage":{"input_tokens":100,"output_tokens":10}}}`)
	}
	put("old", `"id":"old","session_id":"old"`)
	put("own", `"id":"own","session_id":"own"`)
	put("sub", `"id":"sub","session_id":"own","thread_source":"subagent"`)
	put("other", `"id":"other","session_id":"other"`)
	b.refresh(t, writing("api", "cod_1", "codex",
		transcript.Writer{Dir: "/src/api", Own: "own", Certain: true, Earlier: []string{"old"}}))
	if got := b.sum(t, usage.Query{Session: "api"}).Total.Requests; got != 3 {
		t.Errorf("%d requests of the session", got)
	}
}

func TestLimitsAreTheNewestThatWereSeen(t *testing.T) {
	b := newFixture(t)
	line := func(second int, used float64) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-20T11:00:%02dZ","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"limit_id":"codex","primary":{"used_percent":%g,"window_minutes":300,"resets_at":1795220118},"secondary":{"used_percent":4,"window_minutes":10080,"resets_in_seconds":60}}}}`, second, used)
	}
	b.put(t, ".codex/sessions/2026/11/20/rollout-2.jsonl", noon, line(30, 55.5))
	b.put(t, ".codex/sessions/2026/11/20/rollout-1.jsonl", noon.Add(time.Second), line(10, 11))
	b.put(t, claudePath, noon,
		`{"type":"assistant","timestamp":"2026-11-20T11:00:00Z","isApiErrorMessage":true,"error":"rate_limit","message":{"model":"<synthetic>","content":[{"type":"text","text":"You have reached your limit"}]}}`)
	b.refresh(t)
	limits, err := b.ledger.Limits(t.Context())
	if err != nil || len(limits) != 3 {
		t.Fatalf("%+v, %v", limits, err)
	}
	if l := limits[0]; l.Kind != "claude" || l.Used != -1 || l.Message != "You have reached your limit" {
		t.Errorf("%+v", l)
	}
	if l := limits[1]; l.Name != "codex/primary" || l.Used != 55.5 || l.Window != 5*time.Hour ||
		!l.ResetsAt.Equal(time.Unix(1795220118, 0)) {
		t.Errorf("%+v", l)
	}
	if l := limits[2]; !l.ResetsAt.Equal(time.Date(2026, 11, 20, 11, 1, 30, 0, time.UTC)) {
		t.Errorf("%+v", l)
	}
}

func TestTheSessionIsCupolasWhereItIsKnown(t *testing.T) {
	b := newFixture(t)
	mine := claudeSays("r1", "plain", 100, 0)
	b.put(t, claudePath, noon, mine)
	b.put(t, ".claude/projects/-src-web/bbbb.jsonl", noon,
		strings.NewReplacer("97d00d8d", "bbbb", "/src/api", "/src/web", "r1", "r2").Replace(mine))
	b.put(t, ".claude/projects/-src-old/cccc.jsonl", noon,
		strings.NewReplacer("97d00d8d", "cccc", "/src/api", "/src/old", "r1", "r3").Replace(mine))
	b.refresh(t,
		writing("api", "cc_1", "claude", transcript.Writer{Dir: "/elsewhere", Own: "97d00d8d", Certain: true}),
		writing("web", "cc_1", "claude", transcript.Writer{Dir: "/src/web", Started: noon.Add(-time.Minute)}),
		writing("old", "cc_1", "claude", transcript.Writer{Dir: "/src/old", Started: noon.Add(time.Minute)}))
	// It stays known when the agents are gone, and another works in the folder.
	b.refresh(t, writing("other", "cc_2", "claude",
		transcript.Writer{Dir: "/src/web", Started: noon.Add(-time.Minute)}))
	var got []string
	for _, row := range b.sum(t, usage.Query{Group: usage.BySession}).Rows {
		got = append(got, fmt.Sprintf("%s %v", row.Key, row.Folder))
	}
	if strings.Join(got, ",") != "/src/old true,api false,web false" {
		t.Errorf("got %q", got)
	}
	var agents []string
	for _, row := range b.sum(t, usage.Query{Group: usage.ByAgent}).Rows {
		agents = append(agents, row.Key)
	}
	if strings.Join(agents, ",") != "api/cc_1,claude,web/cc_1" {
		t.Errorf("agents are %q", agents)
	}
	if rows := b.sum(t, usage.Query{Group: usage.ByKind}).Rows; len(rows) != 1 || rows[0].Key != "claude" {
		t.Errorf("kinds are %+v", rows)
	}
	for q, want := range map[string]int{"api": 1, "/src/old": 1, "/src/web": 0} {
		if got := b.sum(t, usage.Query{Session: q}).Total.Requests; got != want {
			t.Errorf("%s: %d requests", q, got)
		}
	}
	if got := b.sum(t, usage.Query{Agents: []string{"cc_1"}}).Total.Requests; got != 2 {
		t.Errorf("cc_1: %d requests", got)
	}
	if got := b.sum(t, usage.Query{Kinds: []core.Kind{"codex"}}).Total.Requests; got != 0 {
		t.Errorf("codex: %d requests", got)
	}
}

func TestOpenCodesMessagesAreCountedAsTheyGrow(t *testing.T) {
	b := newFixture(t)
	path := filepath.Join(b.home, ".local", "share", "opencode", "opencode.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	message := func(id, session string, at, output int) string {
		return fmt.Sprintf(`insert or replace into message values ('%s','%s',%d,%d,'{"role":"assistant","modelID":"mock","cost":0.25,"tokens":{"input":1400,"output":%d,"reasoning":2,"cache":{"read":100,"write":0}}}');`, id, session, at, at, output)
	}
	run(`create table session (id text, directory text, parent_id text);
		create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
		insert into session values ('ses_1','/src/api',null), ('ses_2','/src/api','ses_1');` + message("m1", "ses_1", 1795210470470, 1) + message("m2", "ses_2", 1795210470480, 3))
	b.expect(t, "2: 2800 200 0+0 8(4)")
	run(message("m1", "ses_1", 1795210470490, 11))
	began := time.UnixMilli(1795210470470)
	b.refresh(t, writing("old", "oc_1", "opencode",
		transcript.Writer{Dir: "/src/api", Started: began.Add(time.Hour), Record: path}))
	if got := b.total(t); got != "2: 2800 200 0+0 18(4)" {
		t.Errorf("used %s", got)
	}
	if sum := b.sum(t, usage.Query{Group: usage.BySession}); len(sum.Rows) != 1 || sum.Rows[0].Key != "/src/api" ||
		sum.Total.Cost != 0.5 || sum.Total.Source != usage.FromAgent {
		t.Errorf("%+v", sum)
	}
	run(message("m3", "ses_1", 1795210470500, 1))
	b.refresh(t, writing("api", "oc_1", "opencode", transcript.Writer{Dir: "/src/api", Started: began, Record: path}))
	if sum := b.sum(t, usage.Query{Session: "api", Group: usage.BySession}); len(sum.Rows) != 1 ||
		sum.Total.Requests != 3 {
		t.Errorf("%+v", sum)
	}
}

func TestTheEndOfATranscriptTellsOfRecentRequests(t *testing.T) {
	b := newFixture(t)
	pad := `{"type":"user","pad":"` + strings.Repeat("x", 2<<20) + `"}`
	path := b.put(t, claudePath, noon, claudeSays("r1", "plain", 1, 1), pad, claudeSays("r2", "plain", 1, 2),
		claudeSays("r3", "plain", 1, 3), claudeSays("r2", "plain", 1, 9))
	recent, err := usage.Recent(t.Context(), "claude", path)
	if err != nil || len(recent) != 2 || recent[0].Output != 9 || recent[1].Output != 3 {
		t.Errorf("%+v, %v", recent, err)
	}
	if recent, err := usage.Recent(t.Context(), "opencode", path); err != nil || recent != nil {
		t.Errorf("%+v, %v", recent, err)
	}
	if _, err := usage.Recent(t.Context(), "claude", path+"x"); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

func TestATranscriptElsewhereIsReadOnceItsAgentIsGone(t *testing.T) {
	b := newFixture(t)
	path := b.put(t, "elsewhere/s1.jsonl", noon, claudeSays("r1", "plain", 1, 1))
	b.expect(t, "0: 0 0 0+0 0(0)")
	b.refresh(t, writing("api", "cc_1", "claude", transcript.Writer{Record: path, Certain: true}))
	b.put(t, "elsewhere/s1.jsonl", noon.Add(time.Second), claudeSays("r1", "plain", 1, 1),
		claudeSays("r2", "plain", 1, 1))
	b.expect(t, "2: 2 0 0+0 2(0)")
	if got := b.sum(t, usage.Query{Session: "api"}).Total.Requests; got != 2 {
		t.Errorf("%d requests of the session", got)
	}
}

func TestDaysAreThoseOfUTC(t *testing.T) {
	b := newFixture(t)
	line := claudeSays("r1", "plain", 100, 0)
	b.put(t, claudePath, noon, strings.Replace(line, "2026-11-20T11:00:00.000Z", "2026-11-20T23:30:00-05:00", 1),
		strings.NewReplacer("2026-11-20T11:00:00.000Z", "2026-11-20T23:59:59Z", "r1", "r2").Replace(line))
	b.refresh(t)
	rows := b.sum(t, usage.Query{Group: usage.ByDay}).Rows
	if len(rows) != 2 || rows[0].Key != "2026-11-20" || rows[1].Key != "2026-11-21" {
		t.Errorf("%+v", rows)
	}
	if got := b.sum(t, usage.Query{Since: noon.Add(12 * time.Hour)}).Total.Requests; got != 1 {
		t.Errorf("%d requests", got)
	}
}

func TestARowSpansFromItsFirstRequestToItsLast(t *testing.T) {
	b := newFixture(t)
	at := func(hour int, id, model string) string {
		return strings.Replace(claudeSays(id, model, 1, 1), "T11:00:00", fmt.Sprintf("T%02d:00:00", hour), 1)
	}
	b.put(t, claudePath, noon, at(9, "b", "banded"), at(7, "a", "plain"), at(8, "c", "banded"), at(6, "d", "plain"))
	b.refresh(t)
	rows := b.sum(t, usage.Query{Group: usage.ByDay}).Rows
	if len(rows) != 1 || rows[0].First.Hour() != 6 || rows[0].Last.Hour() != 9 || rows[0].Requests != 4 {
		t.Errorf("got %+v", rows)
	}
}

func TestUsageOfRealAgentsIsCounted(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	for kind, test := range map[string]struct{ path, want string }{
		"claude":  {claudePath, "1: 1500 0 0+0 42(0)"},
		"codex":   {".codex/sessions/2026/11/20/rollout-1.jsonl", "2: 2800 200 0+0 84(20)"},
		"gemini":  {".gemini/tmp/api/chats/session-2026-11-20T21-30-3de98db3.jsonl", "2: 2800 200 0+0 104(20)"},
		"qwen":    {".qwen/projects/-src-api/chats/cf5ffa48.jsonl", "1: 1400 100 0+0 42(0)"},
		"copilot": {".copilot/session-state/506bb73d/events.jsonl", "1: 1400 100 0+0 42(0)"},
	} {
		sample, err := os.ReadFile(filepath.Join(folder, "transcripts", kind, "usage_samples.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		b := newFixture(t)
		b.write(t, test.path, noon, string(sample))
		b.refresh(t)
		if got := b.total(t); got != test.want {
			t.Errorf("%s used %s, want %s", kind, got, test.want)
		}
		if kind == "claude" {
			if total := b.sum(t, usage.Query{}).Total; math.Abs(total.Cost-8.80804) > 1e-6 ||
				total.Source != usage.FromAgent {
				t.Errorf("it cost %+v", total)
			}
		}
	}
}

func FuzzTranscripts(f *testing.F) {
	paths := map[string]string{
		"claude": claudePath, "codex": ".codex/sessions/2026/11/20/rollout-1.jsonl",
		"gemini": ".gemini/tmp/api/chats/session-1.json", "qwen": ".qwen/projects/a/chats/b.jsonl",
		"copilot": ".copilot/session-state/a/events.jsonl",
	}
	f.Add("claude", claudeSays("r1", "plain", 1, 1)+"\n", 10)
	f.Add("codex", `{"timestamp":"2026-11-20T11:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":5,"input_tokens":5}}}}`+"\n", 3)
	f.Add("gemini", `{"sessionId":"a","messages":[{"id":"b","type":"gemini","timestamp":"2026-11-20T11:00:00Z","tokens":{"input":3}}]}`, 0)
	f.Fuzz(func(t *testing.T, kind, text string, cut int) {
		path, ok := paths[kind]
		if !ok || cut < 0 || cut > len(text) {
			return
		}
		whole := newFixture(t)
		whole.write(t, path, noon, text)
		whole.refresh(t)
		// Read in two parts it is the same.
		parts := newFixture(t)
		parts.write(t, path, noon, text[:cut])
		parts.refresh(t)
		parts.write(t, path, noon.Add(time.Second), text)
		parts.refresh(t)
		if a, b := whole.total(t), parts.total(t); a != b {
			t.Errorf("at once %s, in parts %s", a, b)
		}
	})
}

func TestRelaysAreCountedFromTheirOwnFile(t *testing.T) {
	b := newFixture(t)
	b.put(t, "relays/usage.jsonl", noon,
		`{"id":"a","at":"`+noon.Format(time.RFC3339)+`","model":"plain","input_tokens":1000,"output_tokens":100}`,
		`{"id":"b","at":"`+noon.Format(time.RFC3339)+`","model":"other","input_tokens":10,"output_tokens":1,"cost_usd":0.5}`,
		`{"id":"b","at":"`+noon.Format(time.RFC3339)+`","model":"other","input_tokens":10,"output_tokens":1,"cost_usd":0.5}`,
		"no JSON", `{"id":"c"}`)
	if _, err := b.ledger.Refresh(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	sum, err := b.ledger.Sum(t.Context(), usage.Query{Group: usage.ByKind})
	if err != nil || len(sum.Rows) != 1 || sum.Rows[0].Key != string(usage.Relays) {
		t.Fatalf("%+v, %v", sum, err)
	}
	if row := sum.Rows[0]; row.Requests != 2 || row.Input != 1010 || row.Cost != 0.502 {
		t.Errorf("it counts %+v", row)
	}
}
