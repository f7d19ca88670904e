// Command confab is a terminal chat over language models that run inside the program.
package main

func main() {}
