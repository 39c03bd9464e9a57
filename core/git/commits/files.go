package commits

import (
	"cmp"
	"slices"
	"time"

	"cupola/core/git"
)

// Spot is how often a file changed.
type Spot struct {
	File    string `json:"file" table:"FILE,strong,flex"`
	Commits int    `json:"commits" table:"COMMITS"`
	// Authors are the names of its authors, the most active first.
	Authors []string  `json:"authors"`
	Last    time.Time `json:"last_at,omitzero" table:"LAST,dim"`
	// Found are the commits, the newest first.
	Found []*git.Commit `json:"-"`
}

// Hotspots returns the files that the repository still contains, those that changed most
// often first, then those that changed last.
func (l *Log) Hotspots() []Spot {
	spots := map[string]*Spot{}
	for i := range l.Commits {
		commit := &l.Commits[i]
		for _, file := range commit.Paths() {
			if !l.Tracked[file] {
				continue
			}
			spot := spots[file]
			if spot == nil {
				spot = &Spot{File: file, Last: commit.At}
				spots[file] = spot
			}
			spot.Commits++
			spot.Found = append(spot.Found, commit)
		}
	}
	sorted := make([]Spot, 0, len(spots))
	for _, spot := range spots {
		spot.Authors = authors(spot.Found)
		sorted = append(sorted, *spot)
	}
	slices.SortFunc(sorted, func(a, b Spot) int {
		return cmp.Or(cmp.Compare(b.Commits, a.Commits), b.Last.Compare(a.Last), cmp.Compare(a.File, b.File))
	})
	return sorted
}

// Spot returns how often one file changed; it need not exist any more.
func (l *Log) Spot(file string) Spot {
	spot := Spot{File: file}
	for i := range l.Commits {
		if commit := &l.Commits[i]; slices.Contains(commit.Paths(), file) {
			spot.Found = append(spot.Found, commit)
		}
	}
	spot.Commits, spot.Authors = len(spot.Found), authors(spot.Found)
	if len(spot.Found) > 0 {
		spot.Last = spot.Found[0].At
	}
	return spot
}

func authors(commits []*git.Commit) []string {
	count := map[string]int{}
	names := []string{}
	for _, commit := range commits {
		count[commit.Author]++
		if count[commit.Author] == 1 {
			names = append(names, commit.Author)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return names
}

// Pair is two files that change together.
type Pair struct {
	A string `json:"a" table:"FILE,strong,flex"`
	B string `json:"b" table:"WITH,flex"`
	// Together counts the commits that changed both, OfA and OfB those that
	// changed each.
	Together int `json:"together" table:"TOGETHER"`
	OfA      int `json:"commits_a"`
	OfB      int `json:"commits_b"`
	// Percent is the share of the less active file's commits that changed the other file,
	// too.
	Percent int `json:"-"`
}

// broadest is how many files a commit may change to say that they belong
// together; a commit of more is a sweep through the tree.
const broadest = 30

// least is how often two files must have changed together not to be a chance.
const least = 2

// Pairs returns the files that the repository still holds which change together in at least
// that percentage, those that do so most often first. With a file, it returns only the
// pairs of that file, which is A.
func (l *Log) Pairs(percent int, file string) []Pair {
	type both struct{ a, b string }
	together, each := map[both]int{}, map[string]int{}
	for i := range l.Commits {
		files := l.Commits[i].Paths()
		for _, f := range files {
			each[f]++
		}
		if len(files) > broadest {
			continue
		}
		for n, a := range files {
			for _, b := range files[n+1:] {
				if l.Tracked[a] && l.Tracked[b] && (file == "" || a == file || b == file) {
					together[both{min(a, b), max(a, b)}]++
				}
			}
		}
	}
	pairs := []Pair{}
	for names, n := range together {
		if names.b == file {
			names.a, names.b = names.b, names.a
		}
		p := Pair{A: names.a, B: names.b, Together: n, OfA: each[names.a], OfB: each[names.b]}
		if p.Percent = 100 * n / min(p.OfA, p.OfB); n >= least && p.Percent >= percent {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Together, x.Together), cmp.Compare(y.Percent, x.Percent), cmp.Compare(x.A, y.A),
			cmp.Compare(x.B, y.B))
	})
	return pairs
}
