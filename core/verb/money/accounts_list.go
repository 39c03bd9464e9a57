package money

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type accountsListIn struct {
	providerFilter
	registry.Page `default:"limit=100"`
}

type accountsListOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Accounts has one row per way to sign in, the one in use first.
	Accounts []accountRow `json:"accounts" empty:"no account is signed in"`
	verb.Paged
}

var accountsList = registry.Define(registry.Spec[*verb.Env, accountsListIn, accountsListOut]{
	Name: "accounts-list", Of: "accounts", Group: verb.GroupMoney, Short: "List the accounts of each provider",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "accounts",
	Deprecated: registry.Prefixed{Prefix: "accounts-list", Flags: []string{"provider"}},
	Examples:   []string{"", "--provider=openai"},
	Run:        runAccountsList,
}).SeeAlso("accounts", "tokens")

func runAccountsList(_ context.Context, env *verb.Env, in accountsListIn) (accountsListOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountsListOut{}, err
	}
	shown, page := verb.Cut(accountRows(env, chosen), in.Page)
	return accountsListOut{Filters: in.providerFilter, Accounts: shown, Paged: page}, nil
}
