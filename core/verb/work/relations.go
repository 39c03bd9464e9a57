package work

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/git/commits"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type relationsIn struct {
	File      string `arg:"1" names:"file-name" help:"Only files that change together with this one"`
	Threshold string `default:"0.5" help:"How often they must change together, as a share of the changes to the less active file: 0.5 or 50%"`
	inRepository
	registry.Page `default:"limit=20"`
}

type relationsOut struct {
	repository
	verb.Paged
	// File is the file that was asked for; absent if none was.
	File      string  `json:"file,omitempty"`
	Threshold float64 `json:"threshold"`
	// Relations has a row for two files that change together: those that do so most
	// often first.
	Relations []relation `json:"relations" empty:"no files change together that often"`
}

// share is a part of a whole, from 0 to 1.
type share float64

// String writes it in percent.
func (s share) String() string { return fmt.Sprintf("%.0f%%", 100*float64(s)) }

// relation is two files that change together.
type relation struct {
	_ struct{} `minimal:"a,b,together" standard:"a,b,together,strength" table:"FILE,WITH,TOGETHER,STRENGTH"`
	commits.Pair
	// Strength is Together as a part of the smaller of the two.
	Strength share `json:"strength" table:"STRENGTH"`
}

var relations = registry.Define(registry.Spec[*verb.Env, relationsIn, relationsOut]{
	Name: "relations", Of: "impact --threshold=0.5", Group: verb.GroupWork, Short: "List files that change together",
	Long: "Read from the repository's commits, leaving out those that changed more than 30 files. Files must have " +
		"changed together at least twice.",
	Scope: registry.Resource, Effect: registry.Reads, List: "relations",
	Deprecated: registry.Prefixed{Prefix: "relations", Flags: []string{"limit", "threshold"}},
	Examples:   []string{"", "main.go --threshold=0.3"},
	Errors:     readingFiles, Run: runRelations,
}).SeeAlso("impact", "files")

func runRelations(ctx context.Context, env *verb.Env, in relationsIn) (relationsOut, error) {
	percent, err := percentOf(in.Threshold)
	if err != nil {
		return relationsOut{}, err
	}
	f, err := filesOfProject(ctx, env, in.inRepository)
	if err != nil {
		return relationsOut{}, err
	}
	out := relationsOut{repository: f.repository, Threshold: float64(percent) / 100}
	if in.File != "" {
		if out.File, err = f.find(in.File); err != nil {
			return out, err
		}
	}
	out.Relations, out.Paged = verb.Cut(f.related(out.File, percent), in.Page)
	return out, nil
}

func (f *projectFiles) related(file string, percent int) []relation {
	return core.Map(f.log.Pairs(percent, file), func(pair commits.Pair) relation {
		return relation{Pair: pair, Strength: share(pair.Percent) / 100}
	})
}

// percentOf reads a part of a whole: 0.5, 50% or 50.
func percentOf(text string) (int, error) {
	number, percents := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.ParseFloat(number, 64)
	if !percents && n <= 1 {
		n *= 100
	}
	if err != nil || !(n >= 0 && n <= 100) {
		return 0, &core.Error{
			Code:    core.InvalidInput,
			Message: fmt.Sprintf("--threshold: %q is not a part of a whole, such as 0.5 or 50%%", text),
		}
	}
	return int(n), nil
}

// Check sees that what was given can be read.
func (in relationsIn) Check() error {
	_, err := percentOf(in.Threshold)
	return err
}
