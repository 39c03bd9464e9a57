package transcript_test

import (
	"database/sql"
	"errors"
	"os"
	"testing"

	"cupola/core/agent/transcript"
)

// beside is a peer of an agent, whose session may be known.
func beside(place transcript.Subject, session string) func() []*transcript.Subject {
	place.Session = session
	return func() []*transcript.Subject { return []*transcript.Subject{&place} }
}

func TestTheOnlyRecordMayBeAPeers(t *testing.T) {
	const own, other = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
	a := newHome(t, "claude")
	theirs := a.put(t, ".claude/projects/-src-api/"+other+".jsonl", records["claude"].lines...)
	a.Peers = beside(newHome(t, "claude").Subject, "")
	if result := a.read(t); !result.Certain {
		t.Errorf("the peer has another home: %+v", result)
	}
	a.Peers = beside(a.Subject, "")
	if result := a.read(t); result.Certain {
		t.Errorf("either may have written it: %+v", result)
	}
	if own, err := transcript.Identify(t.Context(), &a.Subject); err != nil || own.Path != theirs || own.Certain {
		t.Errorf("found %+v, %v", own, err)
	}
	a.Peers = beside(a.Subject, other)
	if result, err := transcript.Read(t.Context(), &a.Subject); !errors.Is(err, transcript.ErrNone) {
		t.Errorf("it is the peer's: %+v, %v", result, err)
	}
	mine := a.put(t, ".claude/projects/-src-api/"+own+".jsonl", records["claude"].lines...)
	if result := a.read(t); result.Path != mine || !result.Certain {
		t.Errorf("the one that is not the peer's: %+v", result)
	}
}

func TestTheOnlySessionOfADatabaseMayBeAPeers(t *testing.T) {
	a := newHome(t, "opencode")
	path := a.put(t, ".local/share/opencode/opencode.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range []string{
		`create table session (id text, directory text, parent_id text, time_updated integer)`,
		`create table message (id text, session_id text, time_created integer, time_updated integer, data text)`,
		`create table part (id text, message_id text, session_id text, data text)`,
		`insert into session values ('ses_1','/src/api',null,1000)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for session, certain := range map[string]bool{"": false, "ses_2": true} {
		a.Peers = beside(a.Subject, session)
		if result := a.read(t); result.Session != "ses_1" || result.Certain != certain {
			t.Errorf("the peer's session is %q: %+v", session, result)
		}
	}
	a.Peers = beside(a.Subject, "ses_1")
	if result, err := transcript.Read(t.Context(), &a.Subject); !errors.Is(err, transcript.ErrNone) {
		t.Errorf("it is the peer's: %+v, %v", result, err)
	}
}
