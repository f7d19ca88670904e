//go:build linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// hangUp takes the terminal away from a program on the screen, which draws anew when
// its window changes.
func (s *session) hangUp() { s.hangUpBy(syscall.SIGWINCH) }

// hangUpBy takes the terminal away. The test's own reader keeps it open until something
// comes from the program, so the program is sent a signal that makes it write.
func (s *session) hangUpBy(sig os.Signal) {
	s.tty.Close()
	s.cmd.Process.Signal(sig)
}

// TestTerminalVanishes takes the terminal away where no signal tells of it, while the
// program answers and while it has nothing to do.
func TestTerminalVanishes(t *testing.T) {
	foreign := &syscall.SysProcAttr{Setsid: true} // nobody's controlling terminal
	own := &syscall.SysProcAttr{Setsid: true, Setctty: true}
	for _, c := range []struct {
		name string
		attr *syscall.SysProcAttr
		argv []string
		busy bool
	}{
		{"a terminal of nobody, answering", foreign, []string{"confab", "-n", "0"}, true},
		{"a terminal of nobody, idle", foreign, []string{"confab"}, false},
		{"nohup, answering", own, []string{"sh", "-c", "trap '' HUP; exec confab -n 0"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := home(t)
			s := openTerminal(t, env, c.attr, c.argv...)
			s.waitFor("confab tiny Q8_0")
			const question = "Tell me a story about a bridge."
			s.ask(question)
			if !c.busy {
				s.until("the answer ends", func(screen string) bool { return !streaming(screen) })
			}
			seen := s.screen()
			s.hangUp()
			if err := s.wait(); err != nil {
				t.Errorf("the program: %v", err)
			}
			_, answer := find(t, saved(t, env), question)
			if shown := answerOn(seen); answer == nil || shown == "" || !strings.HasPrefix(plainWords(answer.Content), shown) {
				t.Errorf("the screen showed %q, saved is %+v", shown, answer)
			}
		})
	}
}

// TestLinesVanish: a chat in plain lines ends with its terminal too.
func TestLinesVanish(t *testing.T) {
	env := home(t)
	s := openTerminal(t, env, &syscall.SysProcAttr{Setsid: true}, "confab", "--accessible")
	s.waitFor("ctrl+d leaves")
	s.keys("Tell me a story about a lamp.\r")
	s.until("an answer ends", func(screen string) bool {
		_, answer, _ := strings.Cut(screen, "confab tiny: ")
		return strings.Contains(answer, "\nyou:")
	})
	s.hangUpBy(os.Interrupt) // which is answered with a new prompt
	if err := s.wait(); err != nil {
		t.Errorf("the program: %v", err)
	}
	if _, answer := find(t, saved(t, env), "Tell me a story about a lamp."); answer == nil || answer.Content == "" {
		t.Errorf("saved is %+v", answer)
	}
}

// TestSuspend: ctrl+z gives the terminal to the shell, fg gives it back, and where no
// shell waits nothing is lost.
func TestSuspend(t *testing.T) {
	env := append(home(t), "PS1=shell> ")
	s := openTerminal(t, env, &syscall.SysProcAttr{Setsid: true, Setctty: true}, "sh", "-i")
	// What is typed before the shell asks could still be read by the program.
	prompts := 0
	asks := func() {
		t.Helper()
		prompts++
		s.until("the shell asks", func(screen string) bool { return !s.onAlt() && strings.Count(screen, "shell>") == prompts })
	}
	asks()
	s.keys("confab\r")
	s.waitFor("confab tiny Q8_0")
	s.keys("half a question")
	s.waitFor("half a question")
	s.keys("\x1a")
	asks()
	s.keys("echo from the $((40+2))th shell\r")
	s.waitFor("from the 42th shell")
	asks()
	s.keys("fg\r")
	s.until("the program is there", func(screen string) bool { return strings.Contains(screen, "half a question") && s.onAlt() })
	s.keys("\x15\x04")
	asks()
	s.keys("exit\r")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s.restored()

	s = openSession(t, home(t))
	s.keys("half a question")
	s.waitFor("half a question")
	s.keys("\x1a")
	s.keys(" more")
	s.waitFor("half a question more")
	s.keys("\x15\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s.restored()
}

func (s *session) onAlt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alt
}

// TestEditor: the editor has the terminal as a shell gives it, an interrupt there is
// the editor's, and what it wrote is in the input.
func TestEditor(t *testing.T) {
	if _, err := exec.LookPath("stty"); err != nil {
		t.Skip("no stty to be had")
	}
	script := t.TempDir() + "/editor"
	// A shell that has a trap lives on after the signal. An interrupt drops what is
	// typed and not read yet, and is noticed between commands.
	const editor = "trap 'stopped=yes' INT\nstty -a | grep -o ' icanon'\necho the editor\nread line\n" +
		"echo \"read $line\"\nwhile [ -z \"$stopped\" ]; do sleep 0.05; done\necho stopped\n" +
		"read line\necho \"$line for $(cat $1)\" > $1\n"
	if err := os.WriteFile(script, []byte(editor), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openSession(t, append(home(t), "EDITOR=sh "+script))
	s.keys("a draft")
	s.waitFor("a draft")
	s.keys("\x07")
	s.waitFor("the editor")
	if screen := s.screen(); s.onAlt() || !strings.Contains(screen, "icanon") {
		t.Errorf("the editor's terminal is not a shell's:\n%s", screen)
	}
	s.keys("one\r")
	s.waitFor("read one")
	s.keys("\x03")
	s.waitFor("stopped")
	s.keys("words\r")
	s.waitFor("words for a draft")
	if !s.onAlt() {
		t.Error("the screen is not the program's again")
	}
	s.keys("\x15\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s.restored()
}
