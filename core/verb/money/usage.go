package money

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/agent/usage"
	"cupola/core/fleet"
	"cupola/core/record/budget"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// count brings the ledger of usage up to date, and reports how far that is where it
// takes long. Whose the transcripts are is found out as far as a fleet can be seen.
func count(ctx context.Context, env *verb.Env) (*budget.Monitor, error) {
	directory, err := env.Budget()
	if err != nil {
		return nil, err
	}
	f, err := env.Fleet()
	if err != nil && !core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
		return nil, err
	}
	read, err := refresh(ctx, f, directory.Ledger(), reportReading(env.Progress))
	if err == nil && read.Failed > 0 {
		env.Warn(fmt.Sprintf("%s could not be read, so the figures lack them; the log says why",
			verb.Plural(read.Failed, "transcript")))
	}
	return directory, err
}

// Count brings a ledger up to date for a caller with a fleet. Progress, if not nil, gets
// how far that is.
func Count(ctx context.Context, f *fleet.Fleet, ledger *usage.Ledger, progress core.ProgressFunc) error {
	_, err := refresh(ctx, f, ledger, reportReading(progress))
	return err
}

func refresh(ctx context.Context, f *fleet.Fleet, ledger *usage.Ledger,
	progress func(usage.Progress),
) (usage.Read, error) {
	var writers []transcript.Writer
	if f != nil {
		var err error
		writers, err = f.Conversations.Writers(ctx)
		if err != nil && !core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
			return usage.Read{}, err
		}
	}
	return ledger.Refresh(ctx, writers, progress)
}

func reportReading(progress core.ProgressFunc) func(usage.Progress) {
	if progress == nil {
		return nil
	}
	return func(at usage.Progress) {
		percent, message := at.Says()
		progress(core.Progress{Phase: "read", Percent: percent, Message: message})
	}
}

// amount is how much was used.
type amount struct {
	Requests int `json:"requests" table:"REQUESTS,grouped"`
	// Tokens is all of them: those that were neither read from a cache nor written
	// to one (Input), those that were, and Output, which includes Reasoning.
	Tokens     int64 `json:"tokens" table:"TOKENS,grouped"`
	Input      int64 `json:"input_tokens" table:"INPUT"`
	CacheRead  int64 `json:"cache_read_tokens" table:"CACHED,dim,grouped"`
	CacheWrite int64 `json:"cache_write_tokens"`
	Output     int64 `json:"output_tokens" table:"OUTPUT,grouped"`
	Reasoning  int64 `json:"reasoning_tokens"`
	// CostUSD is its cost; CostSource is agent (its own figure), table (list prices), mixed, or unknown.
	CostUSD    float64 `json:"cost_usd" table:"COST"`
	CostSource string  `json:"cost_source,omitempty"`
	// UnpricedTokens are not in CostUSD, for no price of their model is known.
	UnpricedTokens int64 `json:"unpriced_tokens"`
}

func amountOf(a *usage.Amount) amount {
	return amount{
		Requests: a.Requests, Tokens: a.Total(), Input: a.Input, CacheRead: a.CacheRead,
		CacheWrite: a.CacheWrite + a.CacheLong, Output: a.Output, Reasoning: a.Reasoning,
		CostUSD:    verb.Rounded(a.Cost, 4),
		CostSource: a.Source, UnpricedTokens: a.Unpriced,
	}
}

// Cell shows what was written to a cache as input, and the cost in dollars.
func (a *amount) Cell(title string) (report.Cell, bool) {
	switch title {
	case "INPUT":
		return report.Text(report.Grouped(a.Input + a.CacheWrite)), true
	case "COST":
		return report.Text(a.money()), true
	}
	return report.Cell{}, false
}

// money writes the cost for people; what is not all of it, or guessed, is marked.
func (a *amount) money() string {
	switch {
	case a.CostSource == usage.FromNowhere && a.UnpricedTokens > 0:
		return "?"
	case a.UnpricedTokens > 0:
		return fmt.Sprintf("≥ $%.2f", a.CostUSD)
	case a.CostSource == usage.FromTable:
		return fmt.Sprintf("~ $%.2f", a.CostUSD)
	}
	return fmt.Sprintf("$%.2f", a.CostUSD)
}
