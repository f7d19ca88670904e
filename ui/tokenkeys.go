package ui

import (
	tea "charm.land/bubbletea/v2"
)

func (s *tokenSheet) key(r *root, key string, _ tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "left", "h":
		s.step(-1)
	case "right", "l":
		s.step(1)
	case "down", "j":
		s.choose(1)
	case "up", "k":
		s.choose(-1)
	case "pgdown", "J":
		s.line(1)
	case "pgup", "K":
		s.line(-1)
	case "home", "g", "0":
		s.jump(0, 1)
	case "end", "G", "$":
		s.jump(s.t.answer.tokens.Len()-1, -1)
	case "tab":
		s.switchPart()
	case "n":
		s.surprise(r, 1)
	case "N":
		s.surprise(r, -1)
	case "v":
		if s.from >= 0 {
			s.from = -1
		} else {
			s.from = s.at
		}
	case "enter":
		return true, s.branch(r)
	case "esc":
		if s.from < 0 {
			return false, nil
		}
		s.from = -1
	default:
		return false, nil
	}
	return true, nil
}

// step goes to the next token of the same part.
func (s *tokenSheet) step(n int) {
	for i := s.at + n; i >= 0 && i < s.t.answer.tokens.Len(); i += n {
		if s.t.answer.tokens.At(i).thinking == s.thinking {
			s.at, s.alt = i, s.taken(i)
			return
		}
	}
}

// jump goes to the nearest token of the part, looking from a place.
func (s *tokenSheet) jump(from, n int) {
	s.at = from - n
	s.step(n)
	s.at = min(max(s.at, 0), s.t.answer.tokens.Len()-1)
}

// taken is the place of the token itself among its alternatives.
func (s *tokenSheet) taken(i int) int {
	tok := s.t.answer.tokens.At(i)
	for j, a := range s.t.answer.others.of(tok) {
		if a.ID == tok.id {
			return j
		}
	}
	return 0
}

func (s *tokenSheet) choose(n int) {
	if k := s.t.answer.tokens.At(s.at).alts.len(); k > 0 {
		s.alt = (s.alt + n + k) % k
	}
}

// line goes to the token above or below.
func (s *tokenSheet) line(n int) {
	y := s.lineOf(s.at)
	x := 0
	for _, p := range s.lines[y].pieces {
		if p.token == s.at {
			x = p.x
		}
	}
	for y += n; y >= 0 && y < len(s.lines); y += n {
		for _, p := range s.lines[y].pieces {
			if p.x+p.w > x || p.token == s.lines[y].pieces[len(s.lines[y].pieces)-1].token {
				s.at, s.alt = p.token, s.taken(p.token)
				return
			}
		}
	}
}

// surprise goes to the next token that was less likely than one in ten.
func (s *tokenSheet) surprise(r *root, n int) {
	for i := s.at + n; i >= 0 && i < s.t.answer.tokens.Len(); i += n {
		if tok := s.t.answer.tokens.At(i); tok.thinking == s.thinking && tok.likely() < 0.1 {
			s.at, s.alt = i, s.taken(i)
			return
		}
	}
	r.say(toneQuiet, "no token under 10 % "+map[int]string{1: "after", -1: "before"}[n]+" this one")
}

// switchPart goes between the thinking and the text.
func (s *tokenSheet) switchPart() {
	for _, tok := range s.t.answer.tokens.All() {
		if tok.thinking != s.thinking {
			s.thinking, s.from = !s.thinking, -1
			s.jump(0, 1)
			return
		}
	}
}

func (s *tokenSheet) click(_ *root, x, y int) tea.Cmd {
	y = y - 3 + s.top
	if y < 0 || y >= len(s.lines) {
		return nil
	}
	for _, p := range s.lines[y].pieces {
		if x-gutter >= p.x && x-gutter < p.x+p.w {
			s.at, s.alt = p.token, s.taken(p.token)
		}
	}
	return nil
}

func (s *tokenSheet) wheel(_ *root, n int) {
	for range max(n, -n) {
		s.line(n / max(max(n, -n), 1))
	}
}
