<?php
// Verifies a webhook. Needs only PHP 8.1 or later.
//   SVC_WEBHOOK_SECRET=whsec_… php verify_webhook.php <webhook-id> <webhook-timestamp> <webhook-signature> < body
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** Throws unless the webhook is genuine. Pass the raw body as $body: parsed and re-serialised JSON fails. */
function verify_webhook(string $body, string $id, string $timestamp, string $signature, string $secret, ?int $now = null): void
{
    if ($id === '' || $signature === '' || preg_match('/\A[1-9][0-9]{0,11}\z/', $timestamp) !== 1) {
        throw new UnexpectedValueException('a webhook header is missing or malformed');
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new UnexpectedValueException('the timestamp is more than 300 s from this clock');
    }
    $key = base64_decode(preg_replace('/\Awhsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new InvalidArgumentException('the secret must be whsec_ followed by base64');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // There may be several signatures, separated by spaces: one of them must match. The comparison takes constant time.
    foreach (explode(' ', $signature) as $candidate) {
        if (hash_equals($expected, $candidate)) {
            return;
        }
    }
    throw new UnexpectedValueException('no signature matches');
}

if (realpath($argv[0] ?? '') === __FILE__) {
    try {
        $now = isset($argv[4]) ? (int) $argv[4] : null;
        $body = file_get_contents('php://stdin');
        verify_webhook($body, $argv[1], $argv[2], $argv[3], (string) getenv('SVC_WEBHOOK_SECRET'), $now);
        echo "genuine\n";
    } catch (UnexpectedValueException $error) {
        fwrite(STDERR, $error->getMessage() . "\n");
        exit(1);
    }
}
