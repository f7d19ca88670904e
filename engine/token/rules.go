package token

import "strings"

// rules is what the name of a pre-tokenizer stands for.
type rules struct {
	// stages cut a text into words; no merge crosses from one to another.
	stages []stage
	// wholeWords says that a word that is a token is not cut by merges.
	wholeWords bool
	// addBOS is the default where the file does not say.
	addBOS bool
	// characters says that spaces are spelled "▁" and words begin as characters,
	// with tokens for the single bytes of those that are missing.
	characters bool
}

// rulesOf returns the rules of tokenizer.ggml.pre.
func rulesOf(pre string) (rules, bool) {
	if pre == "" {
		pre = "default"
	}
	r, ok := preTokenizers[pre]
	if !ok {
		return rules{}, false
	}
	return r(), true
}

// preTokenizers are all known names. Many vocabularies split alike.
var preTokenizers = func() map[string]func() rules {
	m := map[string]func() rules{}
	add := func(r func() rules, names ...string) {
		for _, name := range names {
			m[name] = r
		}
	}
	stages := func(s ...stage) func() rules { return func() rules { return rules{stages: s} } }
	plain := func(o style) func() rules { return stages(plainWords(o)) }

	llama3 := style{digits: 3, contractions: true, tail: lineEnds}
	add(func() rules { return rules{stages: []stage{plainWords(llama3)}, wholeWords: true, addBOS: true} },
		"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano")
	add(plain(llama3), "dbrx", "smaug-bpe", "glm4", "chatglm-bpe")
	qwen2 := style{digits: 1, contractions: true, tail: lineEnds}
	add(plain(qwen2), "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan", "solar-open",
		"grok-2", "bailingmoe", "bailingmoe2", "llada-moe")
	add(plain(style{digits: 1, contractions: true, tail: lineEnds, marks: true}), "qwen35")
	add(plain(style{digits: 1, contractions: true}), "seed-coder")
	add(plain(style{digits: 1, tail: lineEnds}), "ufakzeka")
	add(stages(lines, plainWords(qwen2)), "laguna")
	add(func() rules {
		return rules{stages: []stage{upTo(3, number), plainWords(style{contractions: true, tail: lineEnds})}, wholeWords: true}
	}, "minicpm5")

	add(stages(words), "gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code",
		"roberta-bpe", "gigachat", "a.x-4.0", "mellum", "modern-bert", "mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4")
	add(stages(upTo(1, number), words), "starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2")
	add(stages(asciiPunct("$+<=>^~|"), words, runs(number), threeDigits), "default")
	add(stages(asciiPunct("$+<=>^~|`"), words, threeDigits), "falcon")

	gpt4o := style{digits: 3, contractions: true, tail: lineEnds + "/"}
	add(stages(casedWords(gpt4o)), "gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2")
	add(stages(wholeNumbers, firstDigits, upTo(3, number), casedWords(gpt4o)), "tiny_aya", "cohere2moe")
	add(func() rules { return rules{stages: []stage{casedWords(gpt4o)}, wholeWords: true} }, "granite-embed-multi-97m")
	add(func() rules {
		return rules{stages: []stage{casedWords(style{digits: 1, tail: lineEnds + "/"})}, wholeWords: true, addBOS: true}
	}, "tekken")
	add(func() rules {
		return rules{wholeWords: true, stages: []stage{eastAsian(), casedWords(style{digits: 1, contractions: true, tail: lineEnds + "/"})}}
	}, "youtu")

	add(deepSeekLLM, "deepseek-llm")
	add(deepSeekCoder, "deepseek-coder")
	add(func() rules {
		return rules{stages: []stage{upTo(3, number), runsOf(rangesOf("一-龥\u3040-\u309f\u30a0-\u30ff"), false), matching(mixedWords)}}
	}, "deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4")
	add(afmoe, "afmoe")

	add(stages(runsNotOf(notBloom)), "poro-chat", "bloom", "gpt3-finnish")
	add(stages(runsNotOf(notBloom), upTo(1, number)), "viking")
	add(func() rules { return rules{stages: []stage{lines}, characters: true, addBOS: true} }, "gemma4", "granite-embed-multi-311m")
	add(func() rules { return rules{stages: []stage{lines}, characters: true} }, "sarvam-moe")
	return m
}()

// notBloom are the characters that end a word of BLOOM, beside white space.
const notBloom = "(|.,!?…。，、।۔،)"

// runsNotOf is the pattern of one or more characters that are neither in the
// set nor white space, with one space in front.
func runsNotOf(set string) stage {
	not := rangesOf(set)
	return matching(func(s string) int {
		at := 0
		if s[0] == ' ' {
			at = 1
		}
		end := at
		for _, r := range s[at:] {
			c, n := classAt(s[end:])
			if c&space != 0 || not.has(r) {
				break
			}
			end += n
		}
		if end == at {
			return 0
		}
		return end
	})
}

// asciiPunct is the pattern of one or more characters that are punctuation, or
// in a set of ASCII characters.
func asciiPunct(more string) stage {
	return matching(func(s string) int {
		i := 0
		for i < len(s) {
			c, n := classAt(s[i:])
			if c&punct == 0 && strings.IndexByte(more, s[i]) < 0 {
				break
			}
			i += n
		}
		return i
	})
}

// cjk are the ranges that the first DeepSeek models take for Chinese.
const cjk = "一-龥\u0800-一가-\ud7ff"

func deepSeekCoder() rules {
	return rules{stages: []stage{each(lineEnds), spacedRuns(letter), spacedRuns(punct), runsOf(rangesOf(cjk), false), upTo(1, number)}}
}

func deepSeekLLM() rules {
	// Letters with case as of an older Unicode, without Georgian's small ones.
	const cased = "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd" +
		"\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d" +
		"\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3" +
		"\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128" +
		"\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee" +
		"\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17" +
		"\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2" +
		"\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
	const marks = "!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002"
	return rules{stages: []stage{each(lineEnds), runsOf(rangesOf(cased), true), runsOf(rangesOf(marks), true), finalSpace,
		runsOf(rangesOf(cjk), false), runs(number)}}
}

func afmoe() rules {
	const asian = "一-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf" +
		"\u0e00-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff"
	return rules{stages: []stage{runs(number), firstDigits, upTo(3, number), runsOf(rangesOf(asian), false), matching(mixedWords)}}
}

// eastAsian makes runs of Hangul, of punctuation, of Bopomofo and of Chinese or
// Japanese characters pieces.
func eastAsian() stage {
	sets := []ranges{rangesOf("가-\ud7a3\u3131-\u318e"), rangesOf("！…“”‘’—：；，\u3001-\u303f\ufe30-\ufe4f"),
		rangesOf("\u3105-\u312f"), rangesOf("一-龥\u3040-\u309f\u30a0-\u30ff")}
	return matching(func(s string) int {
		for _, set := range sets {
			if n := set.run(s); n > 0 {
				return n
			}
		}
		return 0
	})
}
