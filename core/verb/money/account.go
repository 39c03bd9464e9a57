package money

import (
	"runtime"
	"slices"

	"cupola/core/agent/account"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// providerFilter chooses providers.
type providerFilter struct {
	Provider []string `json:"provider,omitempty" help:"Only these providers, or the agent kinds that use them (anthropic or claude, openai or codex, ...)"`
}

// providers returns the providers that were asked for, or all.
func (in providerFilter) providers() ([]*account.Provider, error) {
	var valid []string
	for i := range account.Providers {
		p := &account.Providers[i]
		if valid = append(valid, p.Name); string(p.Kind) != p.Name {
			valid = append(valid, string(p.Kind))
		}
	}
	if err := registry.CheckEnum("provider", in.Provider, valid); err != nil {
		return nil, err
	}
	var chosen []*account.Provider
	for i := range account.Providers {
		p := &account.Providers[i]
		if len(in.Provider) == 0 || slices.Contains(in.Provider, p.Name) ||
			slices.Contains(in.Provider, string(p.Kind)) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// Check sees that there are such providers.
func (in providerFilter) Check() error {
	_, err := in.providers()
	return err
}

// accountRow is one way to sign in at a provider. What is not known is absent.
type accountRow struct {
	_ struct{} `minimal:"provider,account,state" standard:"provider,kind,state,method,account,plan,expires_at"`
	account.Account
}

// AccountsOf are the accounts of providers on this machine.
func AccountsOf(env *verb.Local, p *account.Provider) []account.Account {
	return p.Find(env.Getenv, runtime.GOOS, env.Now())
}

// Cell says of a sign-in that renews itself that it does.
func (r *accountRow) Cell(title string) (report.Cell, bool) {
	if title == "ENDS" && r.Renews {
		return report.Toned(report.Dim, "renewed"), true
	}
	return report.Cell{}, false
}
