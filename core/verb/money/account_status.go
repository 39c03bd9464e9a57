package money

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type accountStatusIn struct{ providerFilter }

type accountStatusOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Providers has one row per provider: the account that its agent uses.
	Providers []accountRow `json:"providers" empty:"no account is signed in"`
	SignedIn  int          `json:"signed_in"`
}

var accountStatus = registry.Define(registry.Spec[*verb.Env, accountStatusIn, accountStatusOut]{
	Name: "account-status", Of: "accounts", Group: verb.GroupMoney, Short: "Show who is signed in at each provider",
	Long: "Read from the files the agents keep and from the environment. Of a secret, only whether it exists and " +
		"when it expires is read. No provider is contacted.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "providers",
	Deprecated: registry.Prefixed{Prefix: "account-status", Flags: []string{"provider"}},
	Examples:   []string{"", "--provider=anthropic"},
	Run:        runAccountStatus,
}).SeeAlso("accounts", "tokens")

func runAccountStatus(_ context.Context, env *verb.Env, in accountStatusIn) (accountStatusOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountStatusOut{}, err
	}
	out := accountStatusOut{Filters: in.providerFilter}
	out.Providers, out.SignedIn = accountsInUse(env, chosen)
	return out, nil
}
