package command

import (
	"context"

	"cupola/core/account"
	"cupola/robot/registry"
)

type accountsListIn struct {
	ofProvider
	registry.Page
}

type accountsListOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Accounts has a row for each way to sign in, the one in use first.
	Accounts []accountRow `json:"accounts" empty:"nobody is signed in"`
	paged
}

var accountsList = registry.Define(registry.Spec[accountsListIn, accountsListOut]{
	Name: "accounts-list", Group: groupMoney, Short: "List the accounts of each provider",
	Aliases: []string{"accounts"},
	Scope:   registry.Global, Effect: registry.Reads, List: "accounts",
	Deprecated: registry.Prefixed{Prefix: "accounts-list", Flags: []string{"provider"}},
	Default:    accountsListIn{Page: registry.Page{Limit: 100}},
	Examples: []accountsListIn{
		{Page: registry.Page{Limit: 100}},
		{ofProvider{[]string{"openai"}}, registry.Page{Limit: 100}},
	},
	Run:   runAccountsList,
	Hints: func(_ accountsListIn, out accountsListOut) *registry.Hints { return pageHints(out.Pagination) },
}).SeeAlso("account-status", "quota-check")

func runAccountsList(_ context.Context, deps *registry.Deps, in accountsListIn) (accountsListOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountsListOut{}, err
	}
	var rows []accountRow
	for _, p := range chosen {
		for _, a := range accountsOf(deps, p) {
			if a.State != account.SignedOut || a.Name != "" {
				rows = append(rows, accountRow{Account: a})
			}
		}
	}
	shown, page := cut(rows, in.Page)
	return accountsListOut{Filters: in.echo(), Accounts: shown, paged: page}, nil
}
