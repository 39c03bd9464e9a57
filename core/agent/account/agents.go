package account

import (
	"encoding/json"
	"maps"
	"slices"

	"cupola/core"
	"cupola/core/agent"
)

// folders are where agents of a kind keep their files.
type folders struct {
	kind core.Kind
	env  func(string) string
	// system is the operating system, as Go calls it.
	system string
}

func (f folders) home(below ...string) string { return agent.HomeOf(f.kind, f.env, below...) }

func claude(f folders) []Account {
	about := f.home(".claude.json")
	if f.env("CLAUDE_CONFIG_DIR") == "" {
		about = f.home("..", ".claude.json")
	}
	whose := open(about)
	path := f.home(".credentials.json")
	kept := open(path).at("claudeAiOauth")
	var found []Account
	switch {
	case kept.has("accessToken"):
		found = append(found, Account{
			State: SignedIn, Method: "oauth", Name: whose.text("oauthAccount", "emailAddress"),
			Plan: kept.text("subscriptionType"), Expires: kept.moment("expiresAt"), Renews: kept.has("refreshToken"),
			Active: true, Source: path,
		})
	case whose.has("oauthAccount", "emailAddress"):
		a := Account{State: SignedOut, Name: whose.text("oauthAccount", "emailAddress"), Active: true, Source: about}
		if f.system == "darwin" {
			a.State, a.Method, a.Source = Unknown, "oauth", "keychain"
		}
		found = append(found, a)
	}
	if whose.has("primaryApiKey") {
		found = append(found, Account{State: SignedIn, Method: "api_key", Active: len(found) == 0, Source: about})
	}
	return found
}

func codex(f folders) []Account {
	path := f.home("auth.json")
	kept := open(path)
	var found []Account
	if kept.has("tokens", "access_token") {
		// The secret itself holds its expiry.
		found = append(found, Account{
			State: SignedIn, Method: "oauth", Name: kept.text("tokens", "account_id"),
			Renews: kept.has("tokens", "refresh_token"), Active: true, Source: path,
		})
	}
	if kept.has("OPENAI_API_KEY") {
		found = append(found, Account{State: SignedIn, Method: "api_key", Active: len(found) == 0, Source: path})
	}
	return found
}

func gemini(f folders) []Account {
	list := f.home("google_accounts.json")
	accounts := open(list)
	found := google(f.home("oauth_creds.json"), accounts.text("active"))
	var old []string
	if json.Unmarshal(accounts.at("old"), &old) == nil {
		for _, name := range old {
			found = append(found, Account{State: SignedOut, Name: name, Source: list})
		}
	}
	return found
}

func qwen(f folders) []Account {
	return google(f.home("oauth_creds.json"), "")
}

// google reads the file of Google's library for signing in.
func google(path, name string) []Account {
	kept := open(path)
	if !kept.has("access_token") && !kept.has("refresh_token") {
		return nil
	}
	return []Account{{
		State: SignedIn, Method: "oauth", Name: name, Expires: kept.moment("expiry_date"),
		Renews: kept.has("refresh_token"), Active: true, Source: path,
	}}
}

// opencode returns the accounts of OpenCode, which keeps a secret for each provider.
func opencode(f folders) []Account {
	path := f.home("auth.json")
	kept := open(path)
	var all map[string]json.RawMessage
	if json.Unmarshal(kept, &all) != nil {
		return nil
	}
	var found []Account
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one := kept.at(name)
		a := Account{State: SignedIn, Name: name, Active: len(found) == 0, Source: path}
		switch {
		case one.has("access"), one.has("refresh"):
			a.Method, a.Expires, a.Renews = "oauth", one.moment("expires"), one.has("refresh")
		case one.has("key"):
			a.Method = "api_key"
		default:
			continue
		}
		found = append(found, a)
	}
	return found
}

// copilot leaves its tokens to the system where that keeps secrets.
func copilot(f folders) []Account {
	path := f.home("config.json")
	kept := open(path)
	var users []struct{ Login string }
	if json.Unmarshal(kept.at("logged_in_users"), &users) != nil {
		return nil
	}
	last := kept.text("last_logged_in_user", "login")
	var found []Account
	for _, user := range users {
		a := Account{State: Unknown, Method: "oauth", Name: user.Login, Active: user.Login == last ||
			last == "" && len(found) == 0, Source: "keychain"}
		if kept.has("copilot_tokens") {
			a.State, a.Source = SignedIn, path
		}
		found = append(found, a)
	}
	return found
}
