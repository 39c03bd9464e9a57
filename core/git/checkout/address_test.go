package checkout

import "testing"

func TestAddressesThatOtherMachinesReach(t *testing.T) {
	for address, want := range map[string]string{
		"https://ada:secret@git.example.org/shop.git": "https://ada@git.example.org/shop.git",
		"ssh://git@example.org:2222/shop":             "ssh://git@example.org:2222/shop",
		"git@example.org:team/shop.git":               "git@example.org:team/shop.git",
		"box:shop":                                    "box:shop",
		"/srv/shop.git":                               "", "../shop": "", "file:///srv/shop": "", "": "", "a/b:c": "",
		"ext::sh -c true": "", "-oProxyCommand=x:y": "",
	} {
		if got, err := reachable(address); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", address, got, err, want)
		}
	}
	for address, want := range map[string]string{
		"git@example.org:team/shop.git": "shop", "https://example.org/shop/": "shop", "box:shop": "shop",
		"..":            "repository",
		"/srv/shop.git": "shop", "": "repository",
	} {
		if got := nameOf(address); got != want {
			t.Errorf("the name of %q is %q, want %q", address, got, want)
		}
	}
	if plain("https://ada:x@example.org/shop.git/") != plain("https://ada@example.org/shop") {
		t.Error("two spellings of an address differ")
	}
}
