package verb

import (
	"slices"
	"testing"

	"cupola/core/verb/registry"
)

func TestPagesCutAndSayWhatIsLeft(t *testing.T) {
	rows := []int{1, 2, 3, 4, 5}
	for _, test := range []struct {
		page registry.Page
		rows []int
		want Pagination
	}{
		{registry.Page{}, rows, Pagination{Count: 5, Total: 5}},
		{
			registry.Page{Limit: 2},
			[]int{1, 2},
			Pagination{Limit: 2, Count: 2, Total: 5, HasMore: true, NextCursor: "2"},
		},
		{registry.Page{Limit: 2, Offset: 4}, []int{5}, Pagination{Limit: 2, Offset: 4, Count: 1, Total: 5}},
		{registry.Page{Limit: 2, Offset: 3}, []int{4, 5}, Pagination{Limit: 2, Offset: 3, Count: 2, Total: 5}},
		{registry.Page{Offset: 9}, []int{}, Pagination{Offset: 9, Total: 5}},
	} {
		got, p := Cut(rows, test.page)
		if !slices.Equal(got, test.rows) || got == nil || p.Pagination != test.want {
			t.Errorf("%+v: got %v, %+v", test.page, got, p)
		}
	}
}

func TestPageHintsCountThePagesThatRemain(t *testing.T) {
	if got := PageHints(Pagination{Count: 5, Total: 5}); !got.Empty() {
		t.Errorf("the last page has hints: %+v", got)
	}
	_, p := Cut([]int{1, 2, 3, 4, 5}, registry.Page{Limit: 2})
	if got := PageHints(p.Pagination); *got.NextOffset != 2 || *got.PagesRemaining != 2 {
		t.Errorf("next %d, remaining %d", *got.NextOffset, *got.PagesRemaining)
	}
}

func TestThingsAreCountedInWords(t *testing.T) {
	for want, n := range map[string]int{"1 agent": 1, "0 agents": 0, "3 agents": 3} {
		if got := Plural(n, "agent"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := Plural(2, "process"); got != "2 processes" {
		t.Errorf("got %s", got)
	}
}
