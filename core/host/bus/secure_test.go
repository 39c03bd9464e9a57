package bus_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/bus/bustest"
)

// issued is a certificate with its key, and where both are as files.
type issued struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file, of    string
}

// issue makes a certificate that a parent signs; nil signs itself, and others with it.
func issue(t *testing.T, name string, parent *issued) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, IsCA: parent == nil,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	own := &issued{certificate: template, key: key}
	signer := own
	if parent != nil {
		signer = parent
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.certificate, &key.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	if own.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	own.file, own.of = written(t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		written(t, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}))
	return own
}

// written is a file of its own with a text.
func written(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The bus is checked against the authorities of the settings, and checks the certificate of this machine.
func TestTheBusIsReachedOverTLS(t *testing.T) {
	t.Parallel()
	authority := issue(t, "authority", nil)
	own, machine, other := issue(t, "bus", authority), issue(t, "machine", authority), issue(t, "other", nil)
	pool := x509.NewCertPool()
	pool.AddCert(authority.certificate)
	s := bustest.NewWith(t, func(options *server.Options) {
		options.TLSConfig = &tls.Config{
			Certificates: []tls.Certificate{{Certificate: [][]byte{own.certificate.Raw}, PrivateKey: own.key}},
			ClientCAs:    pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
		}
	})
	url := strings.Replace(s.ClientURL(), "nats://", "tls://", 1)
	settings := &host.Bus{URL: url, CA: authority.file, Certificate: machine.file, Key: machine.of}
	c, err := bus.Connect(t.Context(), settings, quietLog)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	for name, wrong := range map[string]struct {
		settings host.Bus
		code     core.Code
	}{
		"another authority": {
			host.Bus{URL: url, CA: other.file, Certificate: machine.file, Key: machine.of}, core.AuthFailed,
		},
		"a path of some folder": {host.Bus{URL: url, CA: "authority.pem"}, core.ConfigInvalid},
		"no certificate":        {host.Bus{URL: url, CA: authority.file}, core.AuthFailed},
		"a missing file":        {host.Bus{URL: url, CA: "/nowhere"}, core.ConfigInvalid},
		"a key without end":     {host.Bus{URL: url, Certificate: machine.file}, core.ConfigInvalid},
		"a file that is other":  {host.Bus{URL: url, CA: machine.of}, core.ConfigInvalid},
	} {
		if c, err := bus.Connect(t.Context(), &wrong.settings, quietLog); !core.AsError(err).HasCode(wrong.code) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

// A file of credentials lets this machine in, and one of another operator does not.
func TestCredentialsLetIn(t *testing.T) {
	t.Parallel()
	operator, operatorKey := newKey(t, nkeys.CreateOperator)
	account, accountKey := newKey(t, nkeys.CreateAccount)
	system, _ := newKey(t, nkeys.CreateAccount)
	claims := jwt.NewOperatorClaims(operator)
	claims.SystemAccount = system
	accounts := &server.MemAccResolver{}
	for _, id := range []string{account, system} {
		own := jwt.NewAccountClaims(id)
		if id == account {
			own.Limits.JetStreamLimits = jwt.JetStreamLimits{
				MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit,
			}
		}
		text, err := own.Encode(operatorKey)
		if err != nil {
			t.Fatal(err)
		}
		if err := accounts.Store(id, text); err != nil {
			t.Fatal(err)
		}
	}
	s := bustest.NewWith(t, func(options *server.Options) {
		options.TrustedOperators = []*jwt.OperatorClaims{claims}
		options.AccountResolver, options.SystemAccount = accounts, system
	})
	_, strangerKey := newKey(t, nkeys.CreateAccount)
	for _, one := range []struct {
		signer nkeys.KeyPair
		code   core.Code
	}{{accountKey, ""}, {strangerKey, core.AuthFailed}} {
		user, userKey := newKey(t, nkeys.CreateUser)
		text, err := jwt.NewUserClaims(user).Encode(one.signer)
		if err != nil {
			t.Fatal(err)
		}
		seed, err := userKey.Seed()
		if err != nil {
			t.Fatal(err)
		}
		file, err := jwt.FormatUserConfig(text, seed)
		if err != nil {
			t.Fatal(err)
		}
		settings := &host.Bus{URL: s.ClientURL(), Credentials: written(t, file)}
		c, err := bus.Connect(t.Context(), settings, quietLog)
		if one.code != "" {
			if !core.AsError(err).HasCode(one.code) {
				t.Errorf("a stranger: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		publishing(t, c, "gpu1") <- frame(1, 1)
		following(t, c).waitFor(t, "gpu1", 1)
	}
	for _, wrong := range []string{"/nowhere", written(t, []byte("no credentials")), written(t, nil)} {
		settings := &host.Bus{URL: s.ClientURL(), Credentials: wrong}
		if _, err := bus.Connect(t.Context(), settings, quietLog); !core.AsError(err).HasCode(core.ConfigInvalid) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// newKey makes a key pair, and its public key.
func newKey(t *testing.T, create func() (nkeys.KeyPair, error)) (public string, pair nkeys.KeyPair) {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return public, pair
}

// What is no address of a server is a fault of the settings.
func TestAddressesOfTheBusAreChecked(t *testing.T) {
	t.Parallel()
	for url, code := range map[string]core.Code{
		"nats://127.0.0.1:1": core.NetworkError, "http://127.0.0.1:1": core.ConfigInvalid,
		"nats://127.0.0.1:no": core.ConfigInvalid, "nats://": core.ConfigInvalid, "bus\x00": core.ConfigInvalid,
		"nats://nowhere.invalid": core.NetworkError,
	} {
		if _, err := bus.Connect(t.Context(), &host.Bus{URL: url}, quietLog); !core.AsError(err).HasCode(code) {
			t.Errorf("%q: %v", url, err)
		}
	}
}
