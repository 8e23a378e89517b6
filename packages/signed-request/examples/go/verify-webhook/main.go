// Verifies a webhook. Needs only the standard library.
//
//	SVC_WEBHOOK_SECRET=whsec_… go run main.go <webhook-id> <webhook-timestamp> <webhook-signature> < body
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

var wholeSeconds = regexp.MustCompile(`^[1-9][0-9]{0,11}$`)

// VerifyWebhook returns nil if the webhook is genuine, otherwise an error. Pass the raw body: parsed and re-serialised
// JSON fails.
func VerifyWebhook(body []byte, id, timestamp, signature, secret string, now time.Time) error {
	if id == "" || signature == "" || !wholeSeconds.MatchString(timestamp) {
		return errors.New("a webhook header is missing or malformed")
	}
	sent, _ := strconv.ParseInt(timestamp, 10, 64)
	if age := now.Unix() - sent; age > toleranceSeconds || age < -toleranceSeconds {
		return errors.New("the timestamp is more than 300 s from this clock")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return errors.New("the secret must be whsec_ followed by base64")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// There may be several signatures, separated by spaces: one of them must match. The comparison takes constant time.
	for _, candidate := range strings.Split(signature, " ") {
		if hmac.Equal([]byte(candidate), expected) {
			return nil
		}
	}
	return errors.New("no signature matches")
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: <webhook-id> <webhook-timestamp> <webhook-signature> < body")
		os.Exit(2)
	}
	now := time.Now()
	if len(os.Args) > 4 {
		seconds, _ := strconv.ParseInt(os.Args[4], 10, 64)
		now = time.Unix(seconds, 0)
	}
	if err := VerifyWebhook(body, os.Args[1], os.Args[2], os.Args[3], os.Getenv("SVC_WEBHOOK_SECRET"), now); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("genuine")
}
