package report_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// maybe is a number that is not known below 0.
type maybe int

func (n maybe) IsZero() bool { return n < 0 }

type size int

func (n size) String() string { return fmt.Sprintf("%d B", int(n)) }

type inner struct {
	Name  string `table:"NAME,strong"`
	State string `table:"STATE,state"`
}

// everyRow has a column of each kind.
type everyRow struct {
	inner
	Count   int       `table:"COUNT"`
	Errors  int       `table:"ERRORS,bad,empty=-"`
	Percent maybe     `table:"PERCENT,format=%d%%,empty=-"`
	Rank    int       `table:"RANK,format=P%d"`
	Size    size      `table:"SIZE,dim"`
	Bytes   int64     `table:"BYTES,grouped"`
	Place   string    `table:"PLACE,and=Why"`
	Done    bool      `table:"DONE,word,empty=not yet"`
	At      time.Time `table:"AGE,dim,ago"`
	Until   time.Time `table:"UNTIL"`
	Words   []string  `table:"WORDS"`
	Lines   []string  `table:"LINES,join=;,drop=1"`
	Outcome string    `table:"OUTCOME,word,with=Why"`
	Text    string    `table:"TEXT,oneline,or=Other,flex"`
	Note    string    `table:"NOTE,warn,ifany"`
	Why     string
	Other   string
}

func cellsOf(table *report.Table, row int) string {
	var texts []string
	for i, cell := range table.Rows[row] {
		texts = append(texts, strings.TrimPrefix(fmt.Sprintf("%s:%s=%s", table.Columns[i].Title, cell.Tone, cell.Text),
			":"))
	}
	return strings.Join(texts, " | ")
}

func TestWithoutATimeThereIsNoAge(t *testing.T) {
	rows := []struct {
		At time.Time `table:"AGE,ago"`
	}{{noon}}
	table := report.TableOf(rows, time.Time{}, "")
	if got := cellsOf(table, 0); got != "AGE:="+core.Stamp(noon) {
		t.Errorf("got %q", got)
	}
}

func TestTagsMakeATable(t *testing.T) {
	rows := []everyRow{
		{Percent: -1},
		{
			inner: inner{Name: "api", State: "working"}, Count: 3, Errors: 2, Rank: 1, Size: 7, Done: true,
			Bytes: -12345678, Place: "here",
			At: noon.Add(-5 * time.Minute), Until: noon, Words: []string{"a", "b"}, Lines: []string{"one", "two"},
			Outcome: "failed", Why: "no room", Other: "else",
		},
	}
	table := report.TableOf(rows, noon, "none")
	for i, want := range []string{
		"NAME:strong= | STATE:state:= | COUNT:=0 | ERRORS:dim=- | PERCENT:dim=- | RANK:=P0 | " +
			"SIZE:dim=0 B | BYTES:=0 | PLACE:= | " +
			"DONE:warn=not yet | AGE:dim= | UNTIL:= | WORDS:= | LINES:= | OUTCOME:= | TEXT:=",
		"NAME:strong=api | STATE:state:working=working | COUNT:=3 | ERRORS:bad=2 | PERCENT:=0% | RANK:=P1 | " +
			"SIZE:dim=7 B | BYTES:=-12 345 678 | PLACE:=here no room | " +
			"DONE:good=yes | AGE:dim=5m | UNTIL:=2026-01-31T12:00:00Z | " +
			"WORDS:=a, b | LINES:=one; two | OUTCOME:bad=failed (no " +
			"room) | TEXT:=else",
	} {
		if got := cellsOf(table, i); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	var right, flex, drop []string
	for _, c := range table.Columns {
		if c.Right {
			right = append(right, c.Title)
		}
		if c.Flex {
			flex = append(flex, c.Title)
		}
		if c.Drop > 0 {
			drop = append(drop, c.Title)
		}
	}
	if got := fmt.Sprint(right, flex, drop); got != "[COUNT ERRORS PERCENT SIZE BYTES] [TEXT] [LINES]" {
		t.Errorf("got %s", got)
	}
	if table.Empty != "none" || len(report.TableOf([]everyRow{}, noon, "").Rows) != 0 {
		t.Errorf("got %+v", table)
	}
	rows[0].Note, rows[0].Text = "look", "two\n  lines"
	if got := cellsOf(report.TableOf(rows, noon, ""), 0); !strings.HasSuffix(got, "TEXT:=two lines | NOTE:warn=look") {
		t.Errorf("got %s", got)
	}
}

// drawnRow makes two of its cells itself.
type drawnRow struct {
	_ struct{} `table:"STATE,MADE,NAME,COUNT"`
	inner
	Count int `table:"COUNT"`
	Other int `table:"OTHER"`
}

func (r *drawnRow) Cell(title string) (report.Cell, bool) {
	switch title {
	case "MADE":
		return report.Text(r.Name + "!"), true
	case "STATE":
		return report.State(core.Status{State: core.State(r.State), Reason: "why"}), true
	}
	return report.Cell{}, false
}

func TestARowChoosesItsColumnsAndMakesCells(t *testing.T) {
	table := report.TableOf([]drawnRow{{inner: inner{Name: "api", State: "idle"}, Count: 1}}, noon, "")
	if got := cellsOf(table, 0); got != "STATE:state:idle=idle (why) | MADE:=api! | NAME:strong=api | COUNT:=1" {
		t.Errorf("got %s", got)
	}
}

func TestBadTagsAreRefused(t *testing.T) {
	for want, row := range map[string]any{
		`there is no option "blue"`: struct {
			A string `table:"A,blue"`
		}{},
		`there is no field "B"`: struct {
			A string `table:"A,or=B"`
		}{},
		`there is no field "why"`: struct {
			A   string `table:"A,with=why"`
			why string
		}{},
		"no int is ago": struct {
			A int `table:"A,ago"`
		}{},
		"expected integer": struct {
			A int `table:"A,drop=first"`
		}{},
		"only an exported field": struct {
			a int `table:"A"`
		}{},
		`the column "A" is listed twice`: struct {
			_ struct{} `table:"A,A"`
			A int      `table:"A"`
		}{},
		`nothing makes the column "B"`: struct {
			_ struct{} `table:"A,B"`
			A int      `table:"A"`
		}{},
		`the column "A" is there twice`: struct {
			A int `table:"A"`
			B int `table:"A"`
		}{},
	} {
		if err := report.CheckRow(reflect.TypeOf(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v, want %s", row, err, want)
		}
	}
	for _, row := range []any{everyRow{}, drawnRow{}, inner{}, 7} {
		if err := report.CheckRow(reflect.TypeOf(row)); err != nil {
			t.Error(err)
		}
	}
	if report.HasColumns(reflect.TypeFor[core.PaneRef]()) || !report.HasColumns(reflect.TypeFor[inner]()) {
		t.Error("a type has columns only by its tags")
	}
}
