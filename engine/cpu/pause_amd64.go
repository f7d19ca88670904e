package cpu

// pause tells the processor that this is a spin loop, four times.
func pause()
