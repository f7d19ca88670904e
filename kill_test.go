//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/store"
)

// streaming says whether any tab's answer is on its way or waits for cells.
func streaming(screen string) bool {
	first, _, _ := strings.Cut(screen, "\n")
	return strings.ContainsAny(first, "◐⏸")
}

// ask sends a message and waits until some of its answer is there.
func (s *session) ask(text string) {
	s.Helper()
	s.keys(text)
	s.waitFor(text)
	s.keys("\r")
	s.until("an answer begins", func(screen string) bool { return speedText.MatchString(screen) })
}

// answerOn is the answer that a screen shows, the last one, with its words one blank
// apart.
func answerOn(screen string) string {
	at := strings.LastIndex(screen, "  confab tiny\n")
	if at < 0 {
		return ""
	}
	text, _, _ := strings.Cut(screen[at+len("  confab tiny\n"):], "────")
	return plainWords(strings.ReplaceAll(text, "▌", ""))
}

func plainWords(text string) string { return strings.Join(strings.Fields(text), " ") }

// find returns the messages of the chat whose last question is text.
func find(t *testing.T, chats [][]*store.Message, text string) (question, answer *store.Message) {
	t.Helper()
	for _, c := range chats {
		for i, m := range c {
			if m.Role == engine.User && m.Content == text {
				if question = m; i+1 < len(c) {
					answer = c[i+1]
				}
			}
		}
	}
	return question, answer
}

// TestSignalsSaveAndRestore ends the program from outside while it answers.
func TestSignalsSaveAndRestore(t *testing.T) {
	for name, end := range map[string]func(*session){
		"SIGTERM": func(s *session) { s.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(s *session) { s.cmd.Process.Signal(syscall.SIGHUP) },
		"hung up": (*session).hangUp,
		"ctrl-d":  func(s *session) { s.keys("\x04") },
	} {
		t.Run(name, func(t *testing.T) {
			env := home(t)
			s := openSession(t, env, "--temp", "1.5", "-n", "0")
			s.ask("Tell me a story about a " + name + ".")
			began := time.Now()
			seen := s.screen()
			end(s)
			if err := s.wait(); err != nil {
				t.Errorf("the program: %v\n%s", err, s.screen())
			}
			t.Logf("it took %v", time.Since(began))
			if name != "hung up" {
				s.restored()
			}
			question, answer := find(t, saved(t, env), "Tell me a story about a "+name+".")
			if shown := answerOn(seen); question == nil || answer == nil || shown == "" || !strings.HasPrefix(plainWords(answer.Content), shown) {
				t.Errorf("the screen showed %q, saved are %+v, %+v", shown, question, answer)
			}
		})
	}
}

// TestKilled ends the program without a warning, again and again. A question is on
// disk soon after it was asked, an answer as soon as it has ended, what streams a
// moment after it came; and the next start shows them.
func TestKilled(t *testing.T) {
	env := home(t)
	var asked []string
	for round := range 3 {
		s := openSession(t, env, "--temp", "1")
		if round > 0 {
			s.waitFor(asked[round-1]) // as it was left
			s.keys("\x0e")            // a new chat
			s.until("a new chat is open", func(screen string) bool { return !strings.Contains(screen, asked[round-1]+"\n") })
		}
		text := fmt.Sprintf("Tell me a story, number %d.", round)
		asked = append(asked, text)
		finished := round == 1
		pace, told := "1", "at most 1 tokens a second" // it streams for long
		if finished {
			pace, told = "0", "as fast as they can"
		}
		s.keys("/pace " + pace + "\r")
		s.waitFor(told)
		s.ask(text)
		if finished {
			s.until("the answer ends", func(screen string) bool { return !streaming(screen) })
		}
		shown := answerOn(s.screen())
		s.until("what was shown is on the disk", func(string) bool {
			_, answer := find(t, saved(t, env), text)
			return answer != nil && strings.HasPrefix(plainWords(answer.Content), shown) && !(finished && answer.Unfinished)
		})
		s.cmd.Process.Kill()
		s.wait()
		if s.mu.Lock(); !s.alt {
			t.Error("killed, and the screen was put back: this was no kill")
		}
		s.mu.Unlock()
		chats := saved(t, env)
		for i, text := range asked {
			question, answer := find(t, chats, text)
			if question == nil || answer == nil || answer.Content == "" {
				t.Errorf("after kill %d of question %d is saved: %+v, %+v", round, i, question, answer)
			} else if i == round && !strings.HasPrefix(plainWords(answer.Content), shown) {
				t.Errorf("before kill %d the screen showed %q, saved is %q", round, shown, answer.Content)
			} else if i == round && (answer.Unfinished == finished || finished && answer.Facts.Counts.Generated == 0) {
				t.Errorf("after kill %d the answer, whose end was seen: %v, is %+v", round, finished, answer)
			}
		}
	}
	for _, path := range []string{"", "/confab.db"} {
		info, err := os.Stat(dataOf(env) + path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s%s has mode %v", dataOf(env), path, info.Mode())
		}
	}
}
