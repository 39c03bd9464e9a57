package detect

import (
	"reflect"
	"testing"
	"time"

	"cupola/core"
)

func TestTheLiveFileLiesInTheFolderOfItsProcess(t *testing.T) {
	for _, test := range []struct {
		kind core.Kind
		env  map[string]string
		want string
	}{
		{"claude", map[string]string{"HOME": "/home/u"}, "/home/u/.claude/sessions/42.json"},
		{
			"claude",
			map[string]string{"HOME": "/home/u", "CLAUDE_CONFIG_DIR": "/etc/claude"},
			"/etc/claude/sessions/42.json",
		},
		{"claude", nil, ""},
		{"codex", map[string]string{"HOME": "/home/u"}, ""},
	} {
		if got := LiveFile(test.kind, 42, func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%s with %v: %q, not %q", test.kind, test.env, got, test.want)
		}
	}
}

func TestALiveFileTellsTheStateOfItsProcess(t *testing.T) {
	at := time.UnixMilli(1700000000000).UTC()
	for _, test := range []struct {
		why, file string
		want      *Live
	}{
		{
			"at rest",
			`{"pid":42,"procStart":"7","sessionId":"s","status":"idle","updatedAt":1,"statusUpdatedAt":1700000000000}`,
			&Live{Session: "s", State: core.Idle, Line: "status: idle", At: at},
		},
		{
			"the edge is older than the file", `{"pid":42,"status":"busy","updatedAt":1700000000000}`,
			&Live{State: core.Working, Line: "status: busy", At: at},
		},
		{
			"asks for leave", `{"pid":42,"status":"waiting","waitingFor":"permission prompt"}`,
			&Live{
				State: core.Waiting, Reason: core.ReasonApproval,
				Line: "status: waiting, waitingFor: permission prompt",
			},
		},
		{
			"asks a question", `{"pid":42,"status":"waiting","waitingFor":"input needed"}`,
			&Live{State: core.Waiting, Reason: core.ReasonQuestion, Line: "status: waiting, waitingFor: input needed"},
		},
		{
			"shows a menu", `{"pid":42,"status":"waiting","waitingFor":"dialog open"}`,
			&Live{State: core.Waiting, Reason: core.ReasonDialog, Line: "status: waiting, waitingFor: dialog open"},
		},
		{
			"a command runs on", `{"pid":42,"status":"shell"}`,
			&Live{State: core.Idle, Notes: []core.Note{core.NoteBackground}, Line: "status: shell"},
		},
		{
			"waits for something unknown", `{"pid":42,"status":"waiting","waitingFor":"the moon"}`,
			&Live{State: core.Waiting, Line: "status: waiting, waitingFor: the moon"},
		},
		{
			"times before the epoch are none", `{"pid":42,"status":"idle","updatedAt":-1,"statusUpdatedAt":-1}`,
			&Live{State: core.Idle, Line: "status: idle"},
		},
		{"no status yet", `{"pid":42}`, nil},
		{"a status of another version", `{"pid":42,"status":"dreaming"}`, nil},
		{"of another process", `{"pid":43,"status":"idle"}`, nil},
		{"of one that had the pid before", `{"pid":42,"procStart":"8","status":"idle"}`, nil},
		{
			"its start is not understood", `{"pid":42,"procStart":"today","status":"idle"}`,
			&Live{State: core.Idle, Line: "status: idle"},
		},
		{"half written", `{"pid":42,"status":"id`, nil},
		{"of another shape", `{"pid":"42","status":"idle"}`, nil},
		{"empty", ``, nil},
	} {
		got := ParseLive([]byte(test.file), 42, 7)
		if (got == nil) != (test.want == nil) || got != nil && !reflect.DeepEqual(*got, *test.want) {
			t.Errorf("%s: got %+v, not %+v", test.why, got, test.want)
		}
	}
	if ParseLive([]byte(`{"pid":42,"procStart":"8","status":"idle"}`), 42, 0) == nil {
		t.Error("where the start of the process is not known, the file does not count")
	}
}

func FuzzLive(f *testing.F) {
	f.Add([]byte(`{"pid":42,"procStart":"7","status":"waiting","waitingFor":"input needed","statusUpdatedAt":1}`))
	f.Add([]byte(`{"pid":42,"status":"busy","updatedAt":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		live := ParseLive(file, 42, 7)
		if live == nil {
			return
		}
		if live.State != core.Idle && live.State != core.Working && live.State != core.Waiting {
			t.Errorf("%q gives %s", file, live.State)
		}
		if live.Reason != "" && live.State != core.Waiting {
			t.Errorf("%q gives %s because of %s", file, live.State, live.Reason)
		}
	})
}
