package run

import (
	"encoding/json"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/text/near"
)

// mostSimilar is how many runs an unknown word is compared with.
const mostSimilar = 500

// Find returns the run of some kinds, or of all, that a word names: the one with the id, or else the newest with the
// name. An unknown word is NotFound, with similar ones.
func (x *Index) Find(word string, kinds ...Kind) (Head, error) { return x.find(word, "run", kinds) }

func (x *Index) find(word, noun string, kinds []Kind) (Head, error) {
	if word != "" {
		named, err := x.heads(Filter{Kinds: kinds, Name: word})
		if h, found := chosen(named, word); found || err != nil {
			return h, err
		}
	}
	newest, err := x.heads(Filter{Kinds: kinds, Limit: mostSimilar})
	if err != nil {
		return Head{}, err
	}
	return Head{}, errUnknown(noun, word, newest)
}

// FindTo is Find for an act that brings a run into a state: of several runs with a name it is the only one that may get
// there. Several are Ambiguous.
func (x *Index) FindTo(word string, into State, kinds ...Kind) (Head, error) {
	found, err := x.Find(word, kinds...)
	if err != nil || found.ID == word {
		return found, err
	}
	named, err := x.heads(Filter{Kinds: kinds, Name: word})
	if err != nil {
		return found, err
	}
	may := slices.DeleteFunc(named, func(h Head) bool { return !h.State.May(into) })
	switch len(may) {
	case 0:
		return found, nil
	case 1:
		return may[0], nil
	}
	e := core.Errorf(core.Ambiguous, "%d runs have the name %s", len(may), word)
	for i := range may {
		e.Suggestions = append(e.Suggestions, may[i].ID)
	}
	return found, e
}

// Records returns the records of the runs of one kind that a filter chooses, the newest first, without what is large.
// One that cannot be read is left out.
func Records[T any](x *Index, f Filter) ([]T, error) {
	f.Uncounted = true
	rows, _, err := x.List(f)
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(rows))
	for i := range rows {
		record := new(T)
		if json.Unmarshal(rows[i].Record, record) != nil {
			continue
		}
		if r, is := any(record).(Record); is && (r.Valid() != nil || r.Head().ID != rows[i].ID) {
			continue
		}
		all = append(all, *record)
	}
	return all, nil
}

// heads returns the heads of the runs that a filter chooses, the newest first.
func (x *Index) heads(f Filter) ([]Head, error) {
	f.Uncounted = true
	rows, _, err := x.List(f)
	return core.Map(rows, func(r Row) Head { return r.Head }), err
}

// chosen returns the run with an id, or else the first with a name.
func chosen(heads []Head, word string) (Head, bool) {
	at := slices.IndexFunc(heads, func(h Head) bool { return h.ID == word })
	if at < 0 {
		at = slices.IndexFunc(heads, func(h Head) bool { return h.Name == word && word != "" })
	}
	if at < 0 {
		return Head{}, false
	}
	return heads[at], true
}

// errUnknown makes the error of a word that names none of the newest runs.
func errUnknown(noun, word string, newest []Head) error {
	var words []string
	for i := range newest {
		words = append(words, newest[i].ID)
		if name := newest[i].Name; name != "" && !slices.Contains(words, name) {
			words = append(words, name)
		}
	}
	return &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no %s is called %q", noun, word),
		Suggestions: near.Words(word, words), Slip: core.Slip{Word: word}, Remedies: []core.Remedy{core.RemedyListRuns},
	}
}
