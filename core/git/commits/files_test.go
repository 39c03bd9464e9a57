package commits_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/git"
	"cupola/core/git/commits"
)

// logOf returns a log of commits, the newest first, each written as AUTHOR FILE...; all files but those named gone are
// tracked.
func logOf(lines ...string) *commits.Log {
	log := &commits.Log{Tracked: map[string]bool{}}
	for i, line := range lines {
		words := strings.Fields(line)
		commit := git.Commit{Hash: fmt.Sprint(i), Author: words[0], At: day.Add(-time.Duration(i) * time.Hour)}
		for _, file := range words[1:] {
			commit.Files = append(commit.Files, git.Change{Path: file, Kind: git.Modified})
			log.Tracked[file] = file != "gone"
		}
		log.Commits = append(log.Commits, commit)
	}
	return log
}

func TestTheFilesThatChangeMostAreFirst(t *testing.T) {
	log := logOf("Ada a b", "Bob b gone", "Bob b", "Ada c gone", "Ada gone")
	var got []string
	for _, spot := range log.Hotspots() {
		got = append(got, fmt.Sprintf("%s %d %s %s", spot.File, spot.Commits, strings.Join(spot.Authors, "+"),
			spot.Last.Format("15")))
	}
	if want := []string{"b 3 Bob+Ada 00", "a 1 Ada 00", "c 1 Ada 21"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if spot := log.Spot("gone"); spot.Commits != 3 || !slices.Equal(spot.Authors, []string{"Ada", "Bob"}) ||
		spot.Last != day.Add(-time.Hour) {
		t.Errorf("got %+v", spot)
	}
	if spot := log.Spot("none"); spot.Commits != 0 || !spot.Last.IsZero() || spot.Authors == nil {
		t.Errorf("got %+v", spot)
	}
}

func TestFilesThatChangeTogetherArePairs(t *testing.T) {
	var wide strings.Builder
	for i := range 31 {
		fmt.Fprintf(&wide, " w%d", i)
	}
	log := logOf("Ada a b", "Ada b a gone", "Ada b c", "Ada c b", "Ada b", "Ada a gone", "Ada a", "Ada once a",
		"Ada"+wide.String(), "Ada"+wide.String())
	pairs := func(percent int, file string) string {
		var got []string
		for _, p := range log.Pairs(percent, file) {
			got = append(got, fmt.Sprintf("%s-%s %d of %d and %d: %d%%", p.A, p.B, p.Together, p.OfA, p.OfB, p.Percent))
		}
		return strings.Join(got, "; ")
	}
	for _, test := range []struct {
		percent int
		file    string
		want    string
	}{
		{0, "", "b-c 2 of 5 and 2: 100%; a-b 2 of 5 and 5: 40%"},
		{50, "", "b-c 2 of 5 and 2: 100%"},
		{0, "a", "a-b 2 of 5 and 5: 40%"},
		{0, "c", "c-b 2 of 2 and 5: 100%"},
		{0, "none", ""},
	} {
		if got := pairs(test.percent, test.file); got != test.want {
			t.Errorf("%d %s: got %s, want %s", test.percent, test.file, got, test.want)
		}
	}
}
