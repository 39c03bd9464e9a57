package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/plainfile"
)

// schemes are the schemes that the address of a server may have.
var schemes = []string{"nats", "tls", "ws", "wss"}

// checked returns settings with whole paths of files. It fails with ConfigInvalid for those that cannot be right: an
// address that is none, or a file that cannot be read or holds something else.
func checked(settings *host.Bus) (*host.Bus, error) {
	for address := range strings.SplitSeq(settings.URL, ",") {
		if err := checkAddress(strings.TrimSpace(address)); err != nil {
			return nil, err
		}
	}
	own := *settings
	for _, file := range []struct {
		setting string
		path    *string
		check   func(text []byte) error
	}{
		{"bus.credentials", &own.Credentials, checkCredentials},
		{"bus.ca", &own.CA, checkAuthorities},
		{"bus.certificate", &own.Certificate, nil},
		{"bus.key", &own.Key, nil},
	} {
		if err := checkFile(file.path, file.check); err != nil {
			return nil, core.Errorf(core.ConfigInvalid, "%s: %w", file.setting, err)
		}
	}
	if (own.Certificate == "") != (own.Key == "") {
		return nil, core.Errorf(core.ConfigInvalid,
			"bus.certificate and bus.key belong together: one of them is not set")
	}
	if own.Certificate != "" {
		if _, err := tls.LoadX509KeyPair(own.Certificate, own.Key); err != nil {
			return nil, core.Errorf(core.ConfigInvalid, "bus.certificate and bus.key: %w", err)
		}
	}
	return &own, nil
}

// CheckSetting returns an error for a value that one of the settings bus.KEY cannot have.
func CheckSetting(key, value string) error {
	check := map[string]func(text []byte) error{
		"bus.credentials": checkCredentials, "bus.ca": checkAuthorities, "bus.certificate": nil, "bus.key": nil,
	}
	switch of, file := check[key]; {
	case value == "":
	case file:
		if err := checkFile(&value, of); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	case key == "bus.url":
		for address := range strings.SplitSeq(value, ",") {
			if err := checkAddress(strings.TrimSpace(address)); err != nil {
				return err
			}
		}
	case key == "bus.host":
		return host.CheckName(value)
	case key == "bus.inbox" && strings.ContainsAny(value, " \t*>"):
		return fmt.Errorf("%s is the beginning of a NATS subject, without blanks, * and >", key)
	}
	return nil
}

// checkFile makes the path of a file whole, and checks what is in it; check may be nil. An empty path is no file.
func checkFile(path *string, check func(text []byte) error) error {
	if *path == "" {
		return nil
	}
	if below, is := strings.CutPrefix(*path, "~/"); is {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		*path = filepath.Join(home, below)
	}
	if !filepath.IsAbs(*path) {
		return errors.New("the path does not begin with / or ~/")
	}
	text, err := plainfile.Read(*path, plainfile.Text)
	if err != nil || check == nil {
		return err
	}
	return check(text)
}

// checkAddress checks the address of one server.
func checkAddress(address string) error {
	if !strings.Contains(address, "://") {
		address = schemes[0] + "://" + address
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		// What cannot be parsed may have a password in it.
		return core.Errorf(core.ConfigInvalid, "bus.url is no address of a NATS server, such as tls://bus.example.com")
	case !slices.Contains(schemes, parsed.Scheme):
		return core.Errorf(core.ConfigInvalid, "bus.url begins with %q; it is one of %s", core.Cut(parsed.Scheme+"://"),
			strings.Join(schemes, "://, ")+"://")
	case parsed.Hostname() == "":
		return core.Errorf(core.ConfigInvalid, "bus.url names no server")
	}
	return nil
}

func checkCredentials(text []byte) error {
	pair, err := nkeys.ParseDecoratedUserNKey(text)
	if err != nil {
		return errors.New("it is no file of NATS credentials")
	}
	pair.Wipe()
	return nil
}

func checkAuthorities(text []byte) error {
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return errors.New("it has no certificate in PEM")
	}
	return nil
}
