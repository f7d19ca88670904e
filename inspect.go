package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/library"
)

func inspectCommand() *cobra.Command {
	s := newSettings()
	var keys, tensors, program bool
	c := &cobra.Command{
		Use:   "inspect [FILE]",
		Short: "Show what a model file is, what it costs and what of it confab uses",
		Args:  atMostOne("a model file"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				s.engine.Model = args[0]
				if err := s.findModel(c.Context(), c.ErrOrStderr()); err != nil {
					return err
				}
			}
			in, err := engine.Inspect(s.engine.Model)
			if err != nil {
				return err
			}
			w := cleaned{c.OutOrStdout()}
			if err := inspectSummary(w, in); err != nil {
				return err
			}
			if keys {
				inspectKeys(w, in)
			}
			if tensors {
				inspectTensors(w, in)
			}
			if program {
				fmt.Fprintf(w, "\n%s", in.Program)
			}
			return in.Refused
		},
	}
	c.Flags().BoolVar(&keys, "keys", false, "list every metadata key")
	c.Flags().BoolVar(&tensors, "tensors", false, "list every tensor")
	c.Flags().BoolVar(&program, "program", false, "print the model as confab runs it")
	return c
}

func inspectSummary(out io.Writer, in *engine.Inspection) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	row := func(name, format string, v ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, v...)) }
	row("file", "%s", in.Path)
	row("name", "%s", in.Name)
	row("kind", "%s %s, %s weights, %s", in.Arch, in.Quant, count(in.Params), library.Size(in.Bytes))
	row("context", "%d tokens", in.Context)
	row("tokens", "%s", in.Tokenizer)
	row("template", "%s", in.Template)
	for _, t := range in.Types {
		row("weights", "%s in %s, %s", t.Type, several(t.Tensors, "tensor"), library.Size(t.Bytes))
	}
	if n := len(in.Unused); n > 0 {
		row("not used", "%s, %s: %s", several(n, "tensor"), library.Size(in.UnusedBytes), few(in.Unused, "--tensors"))
	}
	if n := len(in.UnusedKeys); n > 0 {
		row("not used", "%s: %s", several(n, "key"), few(in.UnusedKeys, "--keys"))
	}
	if in.CellBytes > 0 {
		cells := in.CellBytes * int64(in.Context)
		row("a cell", "%s; %d cells, one full conversation: %s", library.Size(in.CellBytes), in.Context, library.Size(cells))
		if in.StateBytes > 0 {
			row("a conversation", "%s for the state of its recurrent layers", library.Size(in.StateBytes))
		}
		row("memory", "%s with one full conversation", library.Size(in.Bytes-in.UnusedBytes+cells+in.StateBytes))
	}
	if in.Placed != "" {
		row("GPU", "%s", in.Placed)
	}
	verdict := "runs"
	if in.Refused != nil {
		verdict = "does not run: " + in.Refused.Error()
	}
	row("confab", "%s", verdict)
	return w.Flush()
}

// several counts things.
func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// few names the first of what is not used; the flag marks them all.
func few(names []string, flag string) string {
	const shown = 6
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + ", … (" + flag + " marks them)"
}

// count prints a number of weights as people name sizes of models.
func count(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f billion", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f million", float64(n)/1e6)
	}
	return fmt.Sprint(n)
}

func inspectKeys(out io.Writer, in *engine.Inspection) {
	fmt.Fprintln(out)
	for _, k := range in.Keys {
		use := ""
		if slices.Contains(in.UnusedKeys, k.Key) {
			use = " (not used)"
		}
		fmt.Fprintf(out, "%s = %s%s\n", k.Key, k.Value, use)
	}
}

func inspectTensors(out io.Writer, in *engine.Inspection) {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, t := range in.Tensors {
		use := ""
		if slices.Contains(in.Unused, t.Name) {
			use = "not used"
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\n", t.Name, t.Type, t.Shape, library.Size(t.Bytes), use)
	}
	_ = w.Flush()
}
