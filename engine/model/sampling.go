package model

// Sampling holds the knobs of the sampler, under llama.cpp's names. They apply
// in this order: penalties, temperature, top-k, top-p, min-p, draw; with
// TemperatureLast the filters see the probabilities before temperature.
type Sampling struct {
	// Temperature divides the logits; 0 takes the likeliest token, ties to the
	// lower id.
	Temperature float32
	// TopK keeps that many of the likeliest tokens; 0 keeps all.
	TopK int
	// TopP keeps the fewest likeliest tokens whose probabilities reach it, the
	// one that crosses it included; 1 keeps all.
	TopP float32
	// MinP drops tokens less likely than this share of the likeliest; 0 keeps all.
	MinP float32
	// RepeatPenalty divides positive and multiplies negative logits of tokens
	// seen among the last RepeatLastN; 1 is off.
	RepeatPenalty float32
	// PresencePenalty is subtracted once from the logit of every token seen
	// among the last RepeatLastN, FrequencyPenalty once for each time it was
	// seen; 0 is off.
	PresencePenalty, FrequencyPenalty float32
	// RepeatLastN is how many of the last tokens penalties look at; 0 is none.
	RepeatLastN int
	// TemperatureLast applies temperature after the filters, as llama.cpp does.
	TemperatureLast bool
	// Seed pins the noise; a negative one draws a new seed for every answer.
	Seed int64
}

// DefaultSampling is what an answer gets where nobody chose anything:
// llama.cpp's defaults.
func DefaultSampling() Sampling {
	return Sampling{
		Temperature: 0.8, TopK: 40, TopP: 0.95, MinP: 0.05,
		RepeatPenalty: 1, RepeatLastN: 64, Seed: -1,
	}
}
