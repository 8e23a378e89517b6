package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// CanonicalString returns the string to sign: five parts, separated by line feeds. Pass path and body exactly as you
// send them.
func CanonicalString(method, path, timestamp, nonce string, body []byte) string {
	digest := sha256.Sum256(body)
	return strings.Join([]string{strings.ToUpper(method), path, timestamp, nonce, hex.EncodeToString(digest[:])}, "\n")
}
