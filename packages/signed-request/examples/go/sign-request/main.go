// Signs a request and prints the four headers in the form that curl reads (-H @-).
//
//	SVC_PRIVATE_KEY=<64 hex> go run . <METHOD> <path with query> < body
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// Sign returns r and s in hex, 32 bytes each. The library uses the nonce k of RFC 6979 and returns the lower s.
func Sign(key *secp256k1.PrivateKey, text string) string {
	digest := sha256.Sum256([]byte(text))
	// Drop the first byte: it helps to recover the public key, which the request contains anyway.
	return hex.EncodeToString(ecdsa.SignCompact(key, digest[:], true)[1:])
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	scalar, keyErr := hex.DecodeString(os.Getenv("SVC_PRIVATE_KEY"))
	if err != nil || keyErr != nil || len(scalar) != 32 || len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: SVC_PRIVATE_KEY=<64 hex> go run . <METHOD> <path with query> < body")
		os.Exit(2)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	timestamp, nonce := strconv.FormatInt(time.Now().UnixMilli(), 10), hex.EncodeToString(random)
	if len(os.Args) > 4 {
		timestamp, nonce = os.Args[3], os.Args[4]
	}
	key := secp256k1.PrivKeyFromBytes(scalar)
	fmt.Println("x-svc-pubkey: " + hex.EncodeToString(key.PubKey().SerializeCompressed()))
	fmt.Println("x-svc-timestamp: " + timestamp)
	fmt.Println("x-svc-nonce: " + nonce)
	fmt.Println("x-svc-sig: " + Sign(key, CanonicalString(os.Args[1], os.Args[2], timestamp, nonce, body)))
}
