package bus

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

// Attack sends messages that no client should send, to every subject of a host.
func (c *Conn) Attack(t *testing.T, name string, count int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	subjects := []string{
		callPrefix + name + ".read", callPrefix + name + ".act", eventPrefix + name, eventPrefix + "evil",
		"$KV." + bucketName + "." + name + pictureSuffix, "$KV." + bucketName + "." + name + heartbeatSuffix,
		"$KV." + bucketName + ".../../x" + pictureSuffix,
	}
	bodies := []string{
		"", "{", "null", "[]", `{"delta":null}`, `{"delta":{"from":1,"to":99,"order":["x"],"sessions":null}}`,
		"99\nnot gzip", "1\n", strings.Repeat("[", 100_000), "\x00\xff\x1b[2J", `{"hello":{"cupola":"remote"}}`,
	}
	for i := range count {
		m := nats.NewMsg(subjects[random.IntN(len(subjects))])
		m.Data = []byte(bodies[random.IntN(len(bodies))])
		m.Reply = []string{"", c.nc.NewRespInbox()}[random.IntN(2)]
		for _, header := range []string{headerSession, headerNumber, headerBegin, headerEnd} {
			if random.IntN(2) == 0 {
				values := []string{"1", "-1", "x", "99999999999999999999", fmt.Sprint("s", i)}
				m.Header.Set(header, values[random.IntN(len(values))])
			}
		}
		if err := c.nc.PublishMsg(m); err != nil {
			continue // a subject that the library refuses
		}
	}
	if err := c.nc.Flush(); err != nil {
		t.Fatal(err)
	}
}
