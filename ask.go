package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui"
)

func askCommand() *cobra.Command {
	s := newSettings()
	var stats, showThinking bool
	c := &cobra.Command{
		Use:   "ask [PROMPT]",
		Short: "Print one answer",
		Long:  "Print one answer on standard output. Standard input, where it is no terminal, is joined to the prompt. An interrupt ends the answer and exits with 130.",
		Example: `confab ask "Tell me a story."
cat notes.txt | confab ask "Summarise this:" --temp 0`,
		RunE: func(c *cobra.Command, args []string) error {
			prompt, err := wholePrompt(args, c.InOrStdin())
			if err != nil {
				return err
			}
			ctx, stop := interruptible(c.Context())
			defer stop()
			e, err := s.open(ctx, c.Flags(), c.ErrOrStderr())
			if err != nil {
				return interrupted(ctx, err)
			}
			defer e.Close()
			a := asking{engine: e, out: c.OutOrStdout(), err: c.ErrOrStderr(), thinking: showThinking, stats: stats}
			return interrupted(ctx, a.run(ctx, s, prompt))
		},
	}
	s.modelFlags(c.Flags())
	s.samplingFlags(c.Flags())
	s.chatFlags(c.Flags())
	c.Flags().BoolVar(&stats, "stats", false, "print counts and speeds on standard error")
	c.Flags().BoolVar(&showThinking, "show-thinking", false, "print the model's thinking on standard error")
	return c
}

// interruptible ends a context at an interrupt. Another one ends the program.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// unlessDone returns what do does, or, once the context is done, its error at once: for
// what cannot be stopped and ends with the program.
func unlessDone[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	type outcome struct {
		result T
		err    error
	}
	out := make(chan outcome, 1)
	go func() {
		result, err := do()
		out <- outcome{result, err}
	}()
	select {
	case o := <-out:
		return o.result, o.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// interrupted gives an interrupt's exit code precedence over what it caused.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

func wholePrompt(args []string, in io.Reader) (string, error) {
	prompt := strings.Join(args, " ")
	if f, ok := in.(*os.File); !ok || !isTerminal(f) {
		data, err := io.ReadAll(in)
		if err != nil {
			return "", fmt.Errorf("standard input: %w", err)
		}
		prompt = strings.TrimSpace(prompt + "\n\n" + strings.TrimRight(string(data), "\n"))
	}
	if prompt == "" {
		return "", usageError{errors.New("no prompt: give one as an argument or on standard input")}
	}
	return prompt, nil
}

type asking struct {
	engine          *engine.Engine
	out, err        io.Writer
	thinking, stats bool
}

func (a asking) run(ctx context.Context, s *settings, prompt string) error {
	info := a.engine.Info()
	for _, n := range info.Notices {
		fmt.Fprintln(cleaned{a.err}, "confab:", n)
	}
	req := engine.Request{Sampling: s.over(info.Sampling), MaxTokens: s.predict, Think: s.thinking(), DropOldest: s.drop}
	if s.system != "" {
		req.Messages = append(req.Messages, engine.Message{Role: engine.System, Content: s.system})
	}
	req.Messages = append(req.Messages, engine.Message{Role: engine.User, Content: prompt})
	stream := a.engine.Generate(ctx, req)
	last := byte('\n')
	for {
		ev, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		if a.thinking {
			fmt.Fprint(a.err, ui.Clean(ev.Thinking))
		}
		if text := ui.Clean(ev.Text); text != "" {
			last = text[len(text)-1]
			if _, err := io.WriteString(a.out, text); err != nil {
				stream.Cancel()
				return err
			}
		}
		if ev.End != nil {
			return a.finish(*ev.End, last)
		}
	}
}

func (a asking) finish(end engine.End, last byte) error {
	if last != '\n' {
		fmt.Fprintln(a.out)
	}
	if a.stats {
		n := end.Counts
		fmt.Fprintf(a.err, "prompt %d tokens (%d cached, %d evaluated in %s, %.1f tok/s) · answer %d tokens in %s, %.1f tok/s · first token %s · seed %d · %s\n",
			n.Prompt, n.Cached, n.Evaluated, n.Prefill.Round(time.Millisecond), rate(n.Evaluated, n.Prefill),
			n.Generated, n.Decode.Round(time.Millisecond), rate(n.Generated-1, n.Decode), n.FirstToken.Round(time.Millisecond), end.Seed, end.Reason)
	}
	switch end.Reason {
	case engine.ReasonError:
		return end.Err
	case engine.ReasonCancel:
		return errInterrupted
	case engine.ReasonContext:
		fmt.Fprintf(a.err, "confab: the answer stopped at the context limit of %d tokens (--ctx-size, or --drop-oldest)\n", a.engine.Info().Context)
	}
	return nil
}

func rate(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
