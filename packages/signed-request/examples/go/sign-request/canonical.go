package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// CanonicalString is what is signed: five parts, a line feed between them and none at the end. Path and body are
// exactly as they will be sent.
func CanonicalString(method, path, timestamp, nonce string, body []byte) string {
	digest := sha256.Sum256(body)
	return strings.Join([]string{strings.ToUpper(method), path, timestamp, nonce, hex.EncodeToString(digest[:])}, "\n")
}
