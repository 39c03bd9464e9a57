package bead_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
)

// project writes files into the folder of a new project's items.
func project(t *testing.T, files map[string]string) bead.Project {
	t.Helper()
	root := t.TempDir()
	beads := filepath.Join(root, ".beads")
	if err := os.Mkdir(beads, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(beads, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return bead.Project{Root: root, Beads: beads}
}

func read(t *testing.T, files map[string]string) *bead.Set {
	t.Helper()
	set, err := bead.Read(project(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func ids(set *bead.Set) string {
	var words []string
	for _, item := range set.Items {
		words = append(words, item.ID)
	}
	return strings.Join(words, " ")
}

func TestAnItemIsReadWhole(t *testing.T) {
	set := read(t, map[string]string{"issues.jsonl": `{"id":"bd-1","title":"T","description":"D","design":"E","acceptance_criteria":"A","notes":"N","status":"in_progress",` +
		`"priority":0,"issue_type":"bug","assignee":"cc_1","labels":["a","b"],"created_at":"2026-01-02T03:04:05.678901-08:00","updated_at":"2026-01-03T00:00:00Z",` +
		`"started_at":"2026-01-02T12:00:00Z","closed_at":null,"defer_until":"2026-02-01","unheard_of":{"x":[1]},` +
		`"dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-2","type":"blocks"},{"depends_on_id":"bd-3","type":"parent-child"}]}`})
	if len(set.Items) != 1 || len(set.Faults) != 0 {
		t.Fatalf("got %+v", set)
	}
	item := set.Items[0]
	if got := item.Texts(); !slices.Equal(got, []string{"T", "D", "E", "A", "N"}) {
		t.Errorf("texts are %q", got)
	}
	if item.Status != bead.InProgress || item.Priority != 0 || item.Type != "bug" || item.Assignee != "cc_1" ||
		!slices.Equal(item.Labels, []string{"a", "b"}) {
		t.Errorf("got %+v", item)
	}
	if want := []bead.Link{
		{To: "bd-2", Kind: bead.Blocks},
		{To: "bd-3", Kind: bead.ParentChild},
	}; !slices.Equal(item.Links, want) || item.Parent() != "bd-3" {
		t.Errorf("links are %+v", item.Links)
	}
	if want := time.Date(2026, 1, 2, 11, 4, 5, 678901000, time.UTC); item.Created != want || !item.Closed.IsZero() ||
		item.Until.Month() != time.February || item.Started.IsZero() {
		t.Errorf("times are %v, %v, %v", item.Created, item.Closed, item.Until)
	}
}

func TestWhatAnItemDoesNotSayIsUsual(t *testing.T) {
	item := read(t, map[string]string{"issues.jsonl": `{"id":"bd-1"}`}).Items[0]
	if item.Status != bead.Open || item.Priority != 2 || item.Type != "task" || !item.Work() || item.Done() {
		t.Errorf("got %+v", item)
	}
}

func TestOddFieldsSpoilThemselvesOnly(t *testing.T) {
	for text, right := range map[string]func(bead.Item) bool{
		`"priority":"P1"`:   func(i bead.Item) bool { return i.Priority == 1 },
		`"priority":"high"`: func(i bead.Item) bool { return i.Priority == 2 },
		`"priority":99`:     func(i bead.Item) bool { return i.Priority == 4 },
		`"priority":-1`:     func(i bead.Item) bool { return i.Priority == 0 },
		`"priority":null`:   func(i bead.Item) bool { return i.Priority == 2 },
		`"title":5,"assignee":"me"`: func(i bead.Item) bool {
			return i.Title == "" && i.Assignee == "me"
		},
		`"labels":"one","assignee":"me"`: func(i bead.Item) bool {
			return i.Labels == nil && i.Assignee == "me"
		},
		`"created_at":"yesterday"`: func(i bead.Item) bool { return i.Created.IsZero() },
		`"created_at":17`:          func(i bead.Item) bool { return i.Created.IsZero() },
		`"dependencies":["bd-9"]`: func(i bead.Item) bool {
			return i.Links[0] == bead.Link{To: "bd-9", Kind: bead.Blocks}
		},
		`"dependencies":[{"id":"x","dep_type":"r"}]`: func(i bead.Item) bool {
			return i.Links[0] == bead.Link{To: "x", Kind: "r"}
		},
		`"dependencies":[7,null,{}]`: func(i bead.Item) bool { return len(i.Links) == 0 },
		`"dependencies":{"a":1}`:     func(i bead.Item) bool { return len(i.Links) == 0 },
	} {
		set := read(t, map[string]string{"issues.jsonl": `{"id":"bd-1",` + text + `}`})
		if len(set.Items) != 1 || !right(set.Items[0]) {
			t.Errorf("%s: got %+v", text, set)
		}
	}
}

func TestBrokenLinesAreReportedAndSpoilNothingElse(t *testing.T) {
	set := read(t, map[string]string{"issues.jsonl": "\xef\xbb\xbf" + strings.Join([]string{
		`{"id":"bd-1"}`, ``, `{"id":"bd-2"`, `<<<<<<< HEAD`, `{"id":"bd-3"}` + "\r", `=======`, `{"id":"bd-4"}`,
		`>>>>>>> theirs`, `[]`, `{"title":"nobody"}`, `   `, `not JSON`, `{"_type":"memory","id":"m"}`,
		`{"_type":"issue","id":"bd-5"}`,
	}, "\n")})
	if got := ids(set); got != "bd-1 bd-3 bd-4 bd-5" {
		t.Errorf("items are %s", got)
	}
	var lines []int
	for _, fault := range set.Faults {
		if fault.File != "issues.jsonl" || fault.Why == "" {
			t.Errorf("got %+v", fault)
		}
		lines = append(lines, fault.Line)
	}
	if want := []int{3, 4, 6, 8, 9, 10, 12}; !slices.Equal(lines, want) {
		t.Errorf("broken lines are %v, want %v", lines, want)
	}
}

func TestTheNewestOfAnIDWins(t *testing.T) {
	at := func(day int, title string) string {
		return fmt.Sprintf(`{"id":"bd-1","title":%q,"updated_at":"2026-01-%02dT00:00:00Z"}`, title, day)
	}
	for _, test := range []struct{ lines, want string }{
		{at(1, "old") + "\n" + at(2, "new"), "new"},
		{at(2, "new") + "\n" + at(1, "old"), "new"},
		{at(1, "first") + "\n" + at(1, "second"), "second"},
	} {
		set := read(t, map[string]string{"issues.jsonl": test.lines})
		if len(set.Items) != 1 || set.Items[0].Title != test.want || set.Duplicates != 1 {
			t.Errorf("%s: got %+v", test.lines, set)
		}
	}
	gone := read(t, map[string]string{"issues.jsonl": at(1, "x") + "\n" +
		`{"id":"bd-1","status":"tombstone","updated_at":"2026-01-05T00:00:00Z"}`})
	if len(gone.Items) != 0 {
		t.Errorf("a deleted item is there: %+v", gone.Items)
	}
}

func TestOnlyFilesOfItemsAreRead(t *testing.T) {
	one := func(id string) string { return `{"id":"` + id + `"}` }
	both := read(t, map[string]string{
		"issues.jsonl": one("bd-1"), "beads.jsonl": one("bd-2"), "interactions.jsonl": one("bd-3"),
		"beads.left.jsonl": one("bd-4"), "mine.jsonl": one("bd-5"), "notes.txt": one("bd-6"),
	})
	if got := ids(both); got != "bd-1 bd-2" || len(both.Files) != 2 {
		t.Errorf("items are %s of %q", got, both.Files)
	}
	if got := ids(read(t, map[string]string{
		"mine.jsonl":      one("bd-5"),
		"deletions.jsonl": one("bd-6"),
	})); got != "bd-5" {
		t.Errorf("items are %s", got)
	}
	if got := read(t, nil); len(got.Items) != 0 || got.Files != nil {
		t.Errorf("got %+v", got)
	}
}

func TestManyLinesKeepTheirNumbers(t *testing.T) {
	var text strings.Builder
	for i := 1; i <= 5000; i++ {
		if i%1000 == 0 {
			text.WriteString("broken\n")
		} else {
			fmt.Fprintf(&text, "{\"id\":\"bd-%d\"}\n", i)
		}
	}
	set := read(t, map[string]string{"issues.jsonl": text.String()})
	if len(set.Items) != 4995 || len(set.Faults) != 5 {
		t.Fatalf("%d items, %d faults", len(set.Items), len(set.Faults))
	}
	for i, fault := range set.Faults {
		if fault.Line != 1000*(i+1) {
			t.Errorf("a broken line is %d", fault.Line)
		}
	}
}

func TestAnEndlessLineIsLeftOut(t *testing.T) {
	huge := `{"id":"bd-1","description":"` + strings.Repeat("a", 17<<20) + `"}`
	set := read(t, map[string]string{"issues.jsonl": huge + "\n" + `{"id":"bd-2"}`})
	if ids(set) != "bd-2" || len(set.Faults) != 1 || set.Faults[0].Line != 1 {
		t.Errorf("got %d items, %+v", len(set.Items), set.Faults)
	}
}

func TestAnUnknownItemHasNearMisses(t *testing.T) {
	set := read(t, map[string]string{"issues.jsonl": `{"id":"bd-12"}` + "\n" + `{"id":"bd-34"}`})
	if item, err := set.Find("bd-34"); err != nil || item.ID != "bd-34" {
		t.Errorf("got %+v, %v", item, err)
	}
	_, err := set.Find("bd-21")
	if e := core.AsError(err); e == nil || e.Code != core.NotFound || !slices.Contains(e.Suggestions, "bd-12") {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"id":"bd-1","dependencies":[{"depends_on_id":"bd-1"}]}`, "<<<<<<<\n{}",
		`{"id":"a","id":"b"}`, `{"id":1}`, "\xef\xbb\xbf\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		set := bead.Decode(data, "bd")
		for i, item := range set.Items {
			if item.ID == "" || item.Priority < 0 || item.Priority > bead.LeastUrgent ||
				i > 0 && set.Items[i-1].ID >= item.ID {
				t.Fatalf("item %d is %+v", i, item)
			}
		}
		graph := bead.NewGraph(set.Items, time.Unix(0, 0))
		for _, item := range graph.Ready() {
			if len(graph.Blockers(item.ID)) > 0 || graph.Depth(item.ID) != 1 {
				t.Fatalf("%s is ready and waits for %q", item.ID, graph.Blockers(item.ID))
			}
		}
		graph.Cycles()
		graph.CriticalPath()
	})
}
