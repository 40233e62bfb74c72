// Command retrylint tells what one business intent becomes when every layer that retries has taken its turn.
package main

func main() {}
