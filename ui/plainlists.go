package ui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// plainWords are how actions are asked for where lines are written.
var plainWords = map[action]string{
	doSend: "enter", doContinue: "enter", doStop: "ctrl+c", doInterrupt: "ctrl+c", doUndo: "/restore",
	doRegenerate: "/regen", doModels: "/models", doOwnModel: "/models", doHistory: "/chats", doHelp: "/help",
	doSplit: "/split", doCompare: "/compare", doPanel: "/knobs", doMouse: "/mouse",
}

// What the lists say of themselves where there is no screen.

func (s *modelSheet) isReady() bool { return !s.loading }
func (s *modelSheet) count() int    { return len(s.found) }

func (s *modelSheet) pick(r *root, i int) tea.Cmd {
	s.at = i
	return s.choose(r)
}

func (s *modelSheet) entry(_ *root, i int) string {
	f := &s.found[i]
	parts := []string{text.CleanLine(f.Name), text.CleanLine(f.Source), text.CleanLine(f.Quant), s.bytes(f)}
	if f.Err != nil {
		parts = append(parts, "unreadable")
	}
	return joinWords(parts)
}

func (s *historySheet) isReady() bool { return s.ready || s.err != "" }
func (s *historySheet) count() int    { return len(s.found) }

func (s *historySheet) pick(r *root, i int) tea.Cmd { return s.open(r, s.found[i].ID) }

func (s *historySheet) entry(r *root, i int) string {
	c := &s.found[i]
	title := text.CleanLine(c.Title)
	if title == "" {
		title = "(no title)"
	}
	return joinWords([]string{title, plural(c.Messages, "message", "messages"), since(r.now(), c.Updated)})
}

// joinWords parts what is not empty by commas.
func joinWords(parts []string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}

// spoken tells of an answer's tokens those that were not likely, each with the one that
// was.
func (s *tokenSheet) spoken() []string {
	tokens := &s.t.answer.tokens
	out := []string{fmt.Sprintf("%s, perplexity %.2f.", plural(tokens.Len(), "token", "tokens"), perplexity(tokens, 0, tokens.Len()))}
	for i, tok := range tokens.All() {
		if tok.likely() >= 0.5 {
			continue
		}
		line := fmt.Sprintf("token %d, %q, had %s", i+1, shownToken(s.pieceOf(tok)), strings.TrimSpace(percent(float32(tok.likely()))))
		if alts := s.t.answer.others.of(tok); len(alts) > 0 && alts[0].ID != tok.id {
			best := &alts[0]
			line += fmt.Sprintf("; %q had %s", shownToken(best.Text), strings.TrimSpace(percent(float32(math.Exp(float64(best.LogProb))))))
		}
		out = append(out, line)
	}
	if len(out) == 1 {
		out = append(out, "each had more than 50 %.")
	}
	return out
}
