package ui

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/store"
)

// TestDemo runs the program on the terminal with the scripted engine:
//
//	CONFAB_UI_DEMO=1 go test ./ui -run TestDemo
//
// to look at it. The folder in CONFAB_UI_DEMO_DATA keeps its conversations.
func TestDemo(t *testing.T) {
	if os.Getenv("CONFAB_UI_DEMO") == "" {
		t.Skip("CONFAB_UI_DEMO is not set")
	}
	f := newFake(&clock{})
	f.script = demoReply
	o := Options{
		Version: "demo",
		Open: func(_ context.Context, c engine.Config, progress func(engine.Progress)) (Engine, error) {
			for i := range int64(20) {
				progress(engine.Progress{Stage: "weights", Done: i * 184 << 20, Total: 20 * 184 << 20})
				time.Sleep(40 * time.Millisecond)
			}
			if strings.Contains(c.Model, "70b") {
				return nil, errors.New("needs 42.5 GiB for weights and cells, 18.9 free: choose a smaller model, or lower engine.cells")
			}
			return f, nil
		},
		Models: func(context.Context) ([]ModelFile, error) { return demoModels, nil },
	}
	if dir := os.Getenv("CONFAB_UI_DEMO_DATA"); dir != "" {
		s, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		o.Store = s
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

var demoModels = []ModelFile{
	{Path: "/m/qwen3-8b.gguf", Name: "Qwen3 8B Instruct", Folder: "~/.ollama/models", Arch: "qwen3", Quant: "Q4_K_M", Params: 8_190_000_000, Bytes: 5_030_000_000, Fits: true},
	{Path: "/m/llama-1b.gguf", Name: "Llama 3.2 1B", Folder: "~/.ollama/models", Arch: "llama", Quant: "Q8_0", Params: 1_240_000_000, Bytes: 1_320_000_000, Fits: true},
	{Path: "/m/llama-70b.gguf", Name: "Llama 3.3 70B Instruct", Folder: "~/.cache/huggingface/hub", Arch: "llama", Quant: "Q4_K_M", Params: 70_550_000_000, Bytes: 42_520_000_000, Note: "needs 42.5 GiB"},
	{Path: "/m/mamba.gguf", Name: "Mamba 2.8B", Folder: "~/.cache/huggingface/hub", Arch: "mamba", Quant: "F16", Params: 2_770_000_000, Bytes: 5_550_000_000, Note: "mamba not supported"},
}

func demoReply(req engine.Request) reply {
	last := strings.ToLower(req.Messages[len(req.Messages)-1].Content)
	switch {
	case strings.Contains(last, "think"):
		return reply{thinking: strings.Repeat("Let me see what the person wants to know here. It could be one thing, or another.\n", 12), text: "The answer is **42**.", reason: engine.ReasonStop}
	case strings.Contains(last, "wait"):
		return reply{text: poem, reason: engine.ReasonStop, waitAt: 8, waitFor: 3 * time.Second}
	case strings.Contains(last, "fail"):
		return reply{text: "It began", reason: engine.ReasonError, err: errors.New("cuda: out of memory: cells need 21.4 GiB, 18.9 free: lower engine.cells to 90000")}
	case strings.Contains(last, "code"):
		return reply{text: demoMarkdown, reason: engine.ReasonStop}
	case strings.Contains(last, "long"):
		return reply{text: strings.Repeat(demoMarkdown+"\n\n", 12), reason: engine.ReasonStop}
	}
	return reply{text: poem, reason: engine.ReasonStop}
}

const demoMarkdown = "## A small server\n\nHere is how to *serve* a folder over **HTTP** in Go. The standard library does the work, so the program stays short:\n\n" +
	"```go\npackage main\n\nimport (\n\t\"log\"\n\t\"net/http\"\n)\n\nfunc main() {\n\thttp.Handle(\"/\", http.FileServer(http.Dir(\".\")))\n\tlog.Fatal(http.ListenAndServe(\":8080\", nil)) // blocks\n}\n```\n\n" +
	"1. Save it as `main.go`.\n2. Run `go run .`\n3. Open <http://localhost:8080>.\n\n| flag | meaning |\n| --- | --- |\n| `-v` | more words |\n| `-q` | fewer words |\n"
