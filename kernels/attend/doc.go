// Package attend keeps keys and values in cells and attends over lists of cells, as
// softmax(q·k)·v in blocks with a running maximum (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018). The order of sums is fixed, so that a row's
// bits do not depend on the workers or on the rows beside it.
package attend
