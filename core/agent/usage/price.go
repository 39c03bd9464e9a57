package usage

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cupola/core/config/tomlfile"
	"cupola/core/record/store"
)

// Price is the price of a model, in USD for a million tokens. Prices of 0 are derived: a token read from a cache costs
// a tenth of a plain one, one written to it a quarter more, and twice as much where it is kept for an hour.
type Price struct {
	Input          float64 `toml:"input" json:"input"`
	Output         float64 `toml:"output" json:"output"`
	CacheRead      float64 `toml:"cache_read" json:"cache_read"`
	CacheWrite     float64 `toml:"cache_write" json:"cache_write"`
	CacheWriteLong float64 `toml:"cache_write_1h" json:"cache_write_1h"`
	// Above is the size of a prompt from which on the whole request costs Times as
	// much for what goes in, and TimesOutput for what comes out; 0 is none.
	Above       int64   `toml:"above" json:"above"`
	Times       float64 `toml:"times" json:"times"`
	TimesOutput float64 `toml:"times_output" json:"times_output"`
}

// Prices are the prices of models.
type Prices struct {
	// AsOf is the date of the table that came with the program.
	AsOf   string
	Models map[string]Price
}

//go:embed prices.toml
var pricesText string

var embedded = sync.OnceValue(func() (p Prices) {
	var file struct {
		AsOf   string `toml:"as_of"`
		Models map[string]Price
	}
	if _, err := tomlfile.Parse(pricesText, &file); err != nil {
		panic("usage: prices.toml: " + err.Error())
	}
	return Prices{file.AsOf, file.Models}
})

// DefaultPrices returns the table that came with the program, with prices of the
// user's own in place of those of the same models.
func DefaultPrices(own map[string]Price) Prices {
	p := embedded()
	models := maps.Clone(p.Models)
	for model, price := range own {
		models[plainModel(model)] = price
	}
	return Prices{p.AsOf, models}
}

// Of returns the price of a model by the name under which agents know it.
func (p Prices) Of(model string) (Price, bool) {
	price, known := p.Models[plainModel(model)]
	return price, known
}

// Cost returns what tokens of a model cost in USD; false where no price is known.
func (p Prices) Cost(model string, tokens store.UsageTokens) (float64, bool) {
	price, known := p.Of(model)
	return price.cost(tokens, tokens.Input+tokens.CacheRead+tokens.CacheWrite), known
}

// decorations match parts of a model's name that do not name the model: the provider, a version, a date, the size of
// the window.
var decorations = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^.*/|^([a-z]+\.)?anthropic\.|\[.*\]$|@.*$|-v\d+(:\d+)?$|-20\d{6}$|-20\d\d-\d\d-\d\d$|-latest$`)
})

func plainModel(model string) string {
	for model = strings.ToLower(model); ; {
		plain := decorations().ReplaceAllString(model, "")
		if plain == model {
			return plain
		}
		model = plain
	}
}

// bands are the sizes of prompts above which some price differs.
func (p Prices) bands() []int64 {
	var bands []int64
	for _, price := range p.Models {
		if price.Above > 0 && !slices.Contains(bands, price.Above) {
			bands = append(bands, price.Above)
		}
	}
	slices.Sort(bands)
	return bands
}

// cost returns the cost of requests whose prompts are all larger than prompt.
func (p Price) cost(t store.UsageTokens, prompt int64) float64 {
	or := func(price, other float64) float64 {
		if price > 0 {
			return price
		}
		return other
	}
	in := float64(t.Input)*p.Input + float64(t.CacheRead)*or(p.CacheRead, p.Input/10) +
		float64(t.CacheWrite)*or(p.CacheWrite, p.Input*1.25) + float64(t.CacheLong)*or(p.CacheWriteLong, p.Input*2)
	out := float64(t.Output) * p.Output
	if p.Above > 0 && prompt >= p.Above {
		in, out = in*or(p.Times, 1), out*or(p.TimesOutput, or(p.Times, 1))
	}
	return (in + out) / 1e6
}
