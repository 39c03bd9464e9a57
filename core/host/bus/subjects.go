package bus

import (
	"strings"

	"cupola/core/host"
)

const (
	// streamName is the stream of events and bucketName the bucket of pictures.
	streamName = "CUPOLA_EVENTS"
	bucketName = "cupola-hosts"
	// serviceName is the name of the service of each host.
	serviceName = "cupola"

	eventPrefix = "cupola.event."
	callPrefix  = "cupola.host."

	// pictureSuffix and heartbeatSuffix are the ends of the keys of a host.
	pictureSuffix, heartbeatSuffix = ".picture", ".heartbeat"
)

// The headers of messages of a call.
const (
	// headerSession names the session, headerNumber counts the messages of a direction from 1 on.
	headerSession, headerNumber = "Cupola-Session", "Cupola-Number"
	// headerEnd ends the session; its value is why, or "1".
	headerEnd = "Cupola-End"
	// headerBegin begins a session.
	headerBegin = "Cupola-Begin"
)

// callSubject is where a host is called.
func callSubject(name string, access host.Access) string {
	if access == host.Acts {
		return callPrefix + name + ".act"
	}
	return callPrefix + name + ".read"
}

// hostOf is the host of a key, with a suffix; empty for another key.
func hostOf(key, suffix string) string {
	name, is := strings.CutSuffix(key, suffix)
	if !is || host.CheckName(name) != nil {
		return ""
	}
	return name
}
