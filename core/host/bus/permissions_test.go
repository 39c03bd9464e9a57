package bus_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/bus/bustest"
)

// documented is a server with the file of the docs.
func documented(t *testing.T) *bustest.Server {
	t.Helper()
	return bustest.Documented(t, "../../../docs/bus.md")
}

// as connects as the user of a name, which is also the name of the machine.
func as(t *testing.T, s *bustest.Server, name string) *bus.Conn {
	t.Helper()
	url := strings.Replace(s.ClientURL(), "nats://", "nats://"+name+":x@", 1)
	c, err := bus.Connect(t.Context(), &host.Bus{URL: url, Host: name}, quietLog)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// What is documented is enough for all that Cupola does.
func TestTheDocumentedPermissionsAreEnough(t *testing.T) {
	t.Parallel()
	s := documented(t)
	of := as(t, s, "gpu7")
	servingTo(t, of, as(t, s, "laptop"), "gpu7", echo)
	a := publishing(t, of, "gpu7")
	a <- frame(1, 3)
	for _, name := range []string{"laptop", "desk"} {
		c := as(t, s, name)
		v := following(t, c)
		v.waitFor(t, "gpu7", 1)
		if _, err := call(t.Context(), c, "gpu7", host.Reads, host.Request{Verb: "status"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := call(t.Context(), c, "gpu7", host.Acts, host.Request{Verb: "kill"})
		fault, is := err.(*host.Fault) //nolint:errorlint // it is not wrapped
		if refused := is && fault.State == host.Refused; refused != (name == "laptop") || err != nil && !refused {
			t.Errorf("%s acts: %v", name, err)
		}
		if err := c.Forget(t.Context(), "gpu7"); err == nil {
			t.Errorf("%s removes a host", name)
		}
		heartbeats, _, err := c.Hosts(t.Context())
		if err != nil || heartbeats["gpu7"].Hello.Version != "1.2.3" {
			t.Errorf("%s: %+v, %v", name, heartbeats, err)
		}
		if found, _, err := c.Answering(t.Context()); err != nil || found["gpu7"] != 1 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		for _, check := range c.Check(t.Context()) {
			if check.Err != nil {
				t.Errorf("%s: %s: %v", name, check.Name, check.Err)
			}
		}
	}
	a <- frame(2, 3)
	following(t, as(t, s, "laptop")).waitFor(t, "gpu7", 2)
}

// forbidden are subjects to which each of the users must not publish, and to which it must not listen.
var forbidden = map[string]struct{ publish, subscribe []string }{
	"laptop": {
		[]string{
			"cupola.event.gpu7", "$KV.cupola-hosts.gpu7.picture", "cupola.host.gpu7.act", "cupola.host.gpu7.act.x",
			"_INBOX.desk.x", "_INBOX.x",
		},
		[]string{"cupola.host.gpu7.>", "cupola.host.*.read", "cupola.event.*", "$KV.>", "_INBOX.desk.>", "_INBOX.*.>"},
	},
	"desk": {
		[]string{"cupola.event.gpu7", "$KV.cupola-hosts.gpu7.heartbeat", "_INBOX.laptop.x"},
		[]string{"cupola.host.*.act", "cupola.event.gpu7", "$KV.>", "_INBOX.laptop.>", "_INBOX.gpu7.>"},
	},
	"gpu7": {
		[]string{
			"cupola.event.gpu8", "$KV.cupola-hosts.gpu8.picture", "cupola.host.gpu8.read", "cupola.host.gpu8.act",
			"cupola.host.gpu7.act", "$JS.API.CONSUMER.CREATE.CUPOLA_EVENTS.x", "$JS.API.STREAM.UPDATE.CUPOLA_EVENTS",
			"$JS.API.STREAM.UPDATE.KV_cupola-hosts", "$JS.API.STREAM.CREATE.OTHER", "$JS.API.DIRECT.GET.CUPOLA_EVENTS",
			"$SRV.PING.cupola",
		},
		[]string{"cupola.host.gpu8.>", "cupola.host.>", "cupola.event.*", "$KV.>", "_INBOX.laptop.>", "_INBOX.desk.x"},
	},
}

// forAll are subjects that are forbidden to everybody.
var forAll = struct{ publish, subscribe []string }{
	[]string{
		"$JS.API.STREAM.DELETE.CUPOLA_EVENTS", "$JS.API.STREAM.DELETE.KV_cupola-hosts",
		"$JS.API.STREAM.PURGE.CUPOLA_EVENTS", "$JS.API.STREAM.PURGE.KV_cupola-hosts",
		"$JS.API.STREAM.MSG.DELETE.CUPOLA_EVENTS", "$JS.API.STREAM.MSG.DELETE.KV_cupola-hosts",
		"$JS.API.STREAM.MSG.GET.CUPOLA_EVENTS", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.INFO", "x",
	},
	[]string{">", "_INBOX.>", "$JS.>", "$SYS.>", "cupola.>", "cupola.host.gpu8.read"},
}

func TestTheDocumentedPermissionsAreNoMore(t *testing.T) {
	t.Parallel()
	s := documented(t)
	publishing(t, as(t, s, "gpu7"), "gpu7") <- frame(1, 1)
	following(t, as(t, s, "laptop")).waitFor(t, "gpu7", 1)
	for name, of := range forbidden {
		var mu sync.Mutex
		denied := 0
		nc, err := nats.Connect(s.ClientURL(), nats.UserInfo(name, "x"), nats.CustomInboxPrefix("_INBOX."+name),
			nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {
				mu.Lock()
				defer mu.Unlock()
				denied++
			}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		refused := func(what string, try func() error) {
			t.Helper()
			mu.Lock()
			before := denied
			mu.Unlock()
			if err := try(); err != nil {
				return
			}
			if err := nc.FlushTimeout(testTimeout); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(2 * time.Second); ; {
				mu.Lock()
				now := denied
				mu.Unlock()
				if now > before {
					return
				}
				if time.Now().After(end) {
					t.Errorf("%s may %s", name, what)
					return
				}
				_ = core.Sleep(t.Context(), 5*time.Millisecond)
			}
		}
		for _, subject := range append(of.publish, forAll.publish...) {
			refused("publish to "+subject, func() error { return nc.Publish(subject, nil) })
		}
		for _, subject := range append(of.subscribe, forAll.subscribe...) {
			refused("listen to "+subject, func() error { _, err := nc.SubscribeSync(subject); return err })
		}
	}
}

// A host cannot clear what others have published with a message of its own.
func TestAHostClearsNothingOfOthers(t *testing.T) {
	t.Parallel()
	s := documented(t)
	of := as(t, s, "gpu7")
	publishing(t, of, "gpu7") <- frame(1, 1)
	v := following(t, as(t, s, "laptop"))
	v.waitFor(t, "gpu7", 1)
	nc, err := nats.Connect(s.ClientURL(), nats.UserInfo("gpu7", "x"), nats.CustomInboxPrefix("_INBOX.gpu7"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, subject := range []string{"$KV.cupola-hosts.gpu7.x", "cupola.event.gpu7"} {
		m := nats.NewMsg(subject)
		m.Header.Set("Nats-Rollup", "all")
		answer, err := nc.RequestMsg(m, testTimeout)
		if err != nil || !strings.Contains(string(answer.Data), "rollup") {
			t.Errorf("%s is rolled up: %s, %v", subject, answer.Data, err)
		}
	}
}

// A machine that may not see hosts gets an error that says so.
func TestWhoSeesNothingIsReported(t *testing.T) {
	t.Parallel()
	s := bustest.New(t, &server.User{Username: "host", Password: "x"},
		&server.User{Username: "blind", Password: "x", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{"x"}},
		}})
	publishing(t, connect(t, s, "host"), "gpu1") <- frame(1, 1)
	c := connect(t, s, "blind")
	if err := c.Follow(t.Context(), func(*bus.HostState) {}); !core.AsError(err).HasCode(core.PermissionDenied) {
		t.Errorf("following: %v", err)
	}
	if _, _, err := c.Hosts(t.Context()); !core.AsError(err).HasCode(core.PermissionDenied) {
		t.Errorf("asking for hosts: %v", err)
	}
}
