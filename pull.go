package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine/library"
)

func pullCommand() *cobra.Command {
	var list bool
	c := &cobra.Command{
		Use:   "pull REPOSITORY",
		Short: "Fetch a model from Hugging Face into confab's models folder",
		Long: `Fetch a model's GGUF file, or all parts of a split one, from Hugging Face. REPOSITORY
is OWNER/NAME or OWNER/NAME:QUANT; without a QUANT it is ` + library.DefaultQuant + `, or the nearest
that there is, and a file's name works too. What was cut off is gone on with, and
every file's SHA-256 is checked. HF_TOKEN gives access to gated and private
repositories; HF_ENDPOINT names another hub. Only this command and --hf use the
network.`,
		Example: `confab pull Qwen/Qwen3-0.6B-GGUF:Q8_0
confab pull Qwen/Qwen3-0.6B-GGUF --list`,
		Args: exactly(1, "a repository"),
		RunE: func(c *cobra.Command, args []string) error {
			ref, err := library.ParseRef(args[0])
			if err != nil {
				return usageError{err}
			}
			ctx, stop := interruptible(c.Context())
			defer stop()
			p := pulling{ref: ref, out: c.OutOrStdout(), progress: fetchLine(c.ErrOrStderr())}
			if list {
				return interrupted(ctx, p.list(ctx))
			}
			path, err := p.fetch(ctx)
			if err != nil {
				return p.stopped(ctx, err, c.ErrOrStderr())
			}
			fmt.Fprintln(c.OutOrStdout(), path)
			return nil
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list the repository's models instead")
	return c
}

// modelsFolder is where fetched models go.
func modelsFolder() string { return filepath.Join(dataDir(), "models") }

// pulling is one repository's model on its way into the models folder.
type pulling struct {
	ref      library.Ref
	out      io.Writer
	progress func(name string, f library.Fetching)
}

func (p pulling) list(ctx context.Context) error {
	hub, err := library.NewHub()
	if err != nil {
		return usageError{err}
	}
	repo, err := hub.Look(ctx, p.ref.Repo)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "QUANT\tSIZE\tFILES\tNAME")
	for _, v := range repo.Variants {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", cmp.Or(v.Quant, "-"), library.Size(v.Bytes()), len(v.Files), v.Name())
	}
	return w.Flush()
}

func (p pulling) fetch(ctx context.Context) (string, error) {
	hub, err := library.NewHub()
	if err != nil {
		return "", usageError{err}
	}
	repo, err := hub.Look(ctx, p.ref.Repo)
	if err != nil {
		return "", err
	}
	v, err := repo.Choose(p.ref.Quant)
	if err != nil {
		return "", err
	}
	return hub.Fetch(ctx, repo, v, modelsFolder(), func(f library.Fetching) { p.progress(v.Name(), f) })
}

// stopped says on an interrupt that nothing is lost.
func (p pulling) stopped(ctx context.Context, err error, errw io.Writer) error {
	if ctx.Err() != nil {
		fmt.Fprintf(errw, "\nconfab: %v; `confab pull %s` goes on from there\n", err, p.ref)
	}
	return interrupted(ctx, err)
}

// fetchLine shows a fetch on one line of a terminal, ten times a second at
// most; elsewhere it shows nothing.
func fetchLine(w io.Writer) func(string, library.Fetching) {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return func(string, library.Fetching) {}
	}
	var shown time.Time
	var speed meter
	return func(name string, at library.Fetching) {
		now := time.Now()
		speed.add(now, at)
		switch done := at.Done == at.Total; {
		case done:
			fmt.Fprint(f, wipe)
		case now.Sub(shown) >= 100*time.Millisecond:
			shown = now
			fmt.Fprintf(f, "\r%s\x1b[K", fetchText(name, at, speed.rate(now)))
		}
	}
}

// mostName leaves room for the rest of the line on 80 columns.
const mostName = 32

// fetchText is the line's text; rate is in bytes a second, 0 where unknown.
func fetchText(name string, at library.Fetching, rate float64) string {
	if runes := []rune(name); len(runes) > mostName { // the end tells more: it has the quantisation
		name = "…" + string(runes[len(runes)-mostName+1:])
	}
	percent := 100 * float64(at.Done) / float64(max(1, at.Total))
	if at.Checking {
		return fmt.Sprintf("checking %s %3.0f %%", name, percent)
	}
	text := fmt.Sprintf("%s %3.0f %% of %s", name, percent, library.Size(at.Total))
	if rate > 0 {
		left := time.Duration(float64(at.Total-at.Done) / rate * float64(time.Second))
		text += fmt.Sprintf("  %s/s  %s left", library.Size(int64(rate)), left.Round(time.Second))
	}
	return text
}

// meter measures the rate of a fetch over its last five seconds or so.
type meter struct {
	from, middle time.Time
	bytes, half  int64 // Done at from and at middle
	done         int64
}

const meterSpan = 3 * time.Second

func (m *meter) add(now time.Time, at library.Fetching) {
	if at.Checking || m.from.IsZero() || at.Done < m.done {
		*m = meter{from: now, middle: now, bytes: at.Done, half: at.Done}
	}
	m.done = at.Done
	if now.Sub(m.middle) >= meterSpan {
		m.from, m.bytes, m.middle, m.half = m.middle, m.half, now, at.Done
	}
}

func (m *meter) rate(now time.Time) float64 {
	d := now.Sub(m.from)
	if d < 500*time.Millisecond {
		return 0
	}
	return float64(m.done-m.bytes) / d.Seconds()
}
