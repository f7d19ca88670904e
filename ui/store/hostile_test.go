package store

import (
	"io"
	"strings"
	"testing"
	"time"
)

// Times that no calendar has come in as the present, so that the chat can be written again.
func TestTimesBeyondAllCalendars(t *testing.T) {
	s := openTest(t, t.TempDir())
	chats, err := s.Import(strings.NewReader(`{"conv":{"name":"N","lastModified":1e300},"messages":[
		{"id":"1","role":"user","content":"a","timestamp":-1e300},{"id":"2","parent":"1","role":"assistant","content":"b","timestamp":4e15}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := chats[0]
	times := []time.Time{c.Created, c.Updated, c.Opened}
	for _, m := range c.Path() {
		times = append(times, m.Created)
	}
	for _, at := range times {
		if d := time.Since(at); d < 0 || d > time.Hour {
			t.Errorf("%v instead of the present", at)
		}
	}
	if err := c.Export(io.Discard, JSON); err != nil {
		t.Error(err)
	}
}

// A chat that cannot be read because of one message says which.
func TestDamagedMessageIsNamed(t *testing.T) {
	s := openTest(t, t.TempDir())
	for _, column := range []string{"facts = '{'", "tool_calls = '{'", "tokens = x'80'"} {
		c := s.New()
		m := c.AddUser(0, "q")
		flush(t, s)
		if _, err := s.db.Exec("UPDATE messages SET "+column+" WHERE id = ?", m.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(t.Context(), c.ID); err == nil || !strings.Contains(err.Error(), m.ID.String()) {
			t.Errorf("%s: %v does not name message %d", column, err, m.ID)
		}
	}
}
