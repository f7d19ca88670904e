package ui

import (
	"fmt"
	"strconv"
	"time"
)

// group writes a number with thousands parted by commas.
func group(n int) string {
	s := strconv.Itoa(n)
	start := len(s) % 3
	if n < 0 {
		start = 1 + (len(s)-1)%3
	}
	out := s[:start]
	for i := start; i < len(s); i += 3 {
		if len(out) > 0 && out != "-" {
			out += ","
		}
		out += s[i : i+3]
	}
	return out
}

// plural writes a count with its word.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(n) + " " + many
}

// perSecond writes tokens a second in six cells at most: "62.4", "1,440", "-" for none.
func perSecond(v float64) string {
	switch {
	case v <= 0:
		return "-"
	case v < 999.95:
		return fmt.Sprintf("%.1f", v)
	}
	return group(int(v + 0.5))
}

// size writes bytes in binary units, four figures at most.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	case n < 10<<30:
		if n < 1<<30 {
			return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
		}
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.0f GiB", float64(n)/(1<<30))
}

// brief writes a time in the unit that fits: "38 ms", "2.4 s", "3 min".
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}

// since says how long ago a moment was.
func since(now, then time.Time) string {
	d := now.Sub(then)
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d < 7*24*time.Hour:
		return then.Format("Mon 15:04")
	case then.Year() == now.Year():
		return then.Format("2 Jan")
	}
	return then.Format("Jan 2006")
}

// percent writes a probability in a field of six cells: "93.1 %", " 0.3 %".
func percent(p float32) string {
	v := float64(p) * 100
	if v >= 99.95 {
		return " 100 %"
	}
	return fmt.Sprintf("%4.1f %%", v)
}

// b2i counts a truth as one.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
