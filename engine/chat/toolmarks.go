package chat

// toolMarks are what models put around tool calls; without a close they end with the
// answer or with the next open. sign is what a template says of them, open itself where
// it is empty; a vocabulary that has open as a control token says it as well.
var toolMarks = []struct{ open, close, sign string }{
	{open: "<tool_call>", close: "</tool_call>"},
	{open: "<tool_calls>", close: "</tool_calls>"},
	{open: "<tool_calls" + suffix + ">", close: "</tool_calls" + suffix + ">", sign: "<tool_calls{}>"},
	{open: "<seed:tool_call>", close: "</seed:tool_call>"},
	{open: "<TOOLCALL>", close: "</TOOLCALL>"},
	{open: "<|tool_call|>", close: "<|/tool_call|>"},
	{open: "<|tool_call_start|>", close: "<|tool_call_end|>"},
	{open: "<|tool_call>", close: "<tool_call|>"},
	{open: "<|tools_prefix|>", close: "<|tools_suffix|>"},
	{open: "<|START_ACTION|>", close: "<|END_ACTION|>"},
	{open: "<|function_call|>", close: "<|message_sep|>"},
	{open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>"},
	{open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>"},
	{open: "<｜DSML｜function_calls>", close: "</｜DSML｜function_calls>", sign: "｜DSML｜"},
	{open: "<｜DSML｜tool_calls>", close: "</｜DSML｜tool_calls>", sign: "｜DSML｜"},
	{open: "<atem:function_calls>", close: "</atem:function_calls>"},
	{open: "<function=", close: "</function>", sign: "<function=example_function_name>{"},
	{open: "<function name=", close: "</function>"},
	{open: "[TOOL_CALLS]"},
	{open: "<|python_tag|>"},
	{open: "Action:\n```json", sign: `Action:\n` + "```json"},
}

// spaceMark stands before each tag of MiniMax's tool calls, so that no value can spell one.
const spaceMark = "]<]minimax[>["

// gemmaQuote stands around strings in Gemma's calls.
const gemmaQuote = `<|"|>`
