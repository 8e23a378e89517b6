<?php
// Signs a request and prints the four headers in the form that curl reads (-H @-). Needs the extensions openssl and gmp.
//   SVC_PRIVATE_KEY=<64 hex> php sign_request.php <METHOD> <path with query> < body
declare(strict_types=1);

const N = '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

/** Returns the string to sign: five parts, separated by line feeds. No line feed follows the last part. */
function canonical_string(string $method, string $path, string $timestamp, string $nonce, string $body): string
{
    return implode("\n", [strtoupper($method), $path, $timestamp, $nonce, hash('sha256', $body)]);
}

/** Returns the headers of one request. $private_key is 32 bytes in hex. Pass $path and $body exactly as you send them. */
function sign_request(
    string $private_key,
    string $method,
    string $path,
    string $body = '',
    ?string $timestamp = null,
    ?string $nonce = null,
): array {
    $timestamp ??= (string) (int) (microtime(true) * 1000);
    $nonce ??= bin2hex(random_bytes(16));
    $key = openssl_key($private_key);
    openssl_sign(canonical_string($method, $path, $timestamp, $nonce, $body), $der, $key, OPENSSL_ALGO_SHA256);
    return [
        'x-svc-pubkey' => public_key_of($key),
        'x-svc-timestamp' => $timestamp,
        'x-svc-nonce' => $nonce,
        'x-svc-sig' => compact_signature($der),
    ];
}

/** Converts the 32 bytes to an EC private key of secp256k1 in the form that OpenSSL reads (RFC 5915). */
function openssl_key(string $private_key): OpenSSLAsymmetricKey
{
    $der = hex2bin('302e0201010420' . $private_key . 'a00706052b8104000a');
    $pem = "-----BEGIN EC PRIVATE KEY-----\n" . base64_encode($der) . "\n-----END EC PRIVATE KEY-----\n";
    return openssl_pkey_get_private($pem) ?: throw new InvalidArgumentException('the private key must be 64 hex characters and valid for secp256k1');
}

/** Returns the compressed public key in hex. */
function public_key_of(OpenSSLAsymmetricKey $key): string
{
    ['x' => $x, 'y' => $y] = openssl_pkey_get_details($key)['ec'];
    $prefix = ord($y[-1]) % 2 === 0 ? '02' : '03';
    return $prefix . str_pad(bin2hex($x), 64, '0', STR_PAD_LEFT);
}

/** Converts a DER signature to r and s in hex, 32 bytes each. Both s and N - s are valid: returns the lower one. */
function compact_signature(string $der): string
{
    $r_length = ord($der[3]);
    $r = gmp_init(bin2hex(substr($der, 4, $r_length)), 16);
    $s = gmp_init(bin2hex(substr($der, 6 + $r_length)), 16);
    $other = gmp_sub(gmp_init(N), $s);
    $low_s = gmp_cmp($s, $other) > 0 ? $other : $s;
    return implode('', array_map(fn ($part) => str_pad(gmp_strval($part, 16), 64, '0', STR_PAD_LEFT), [$r, $low_s]));
}

if (realpath($argv[0] ?? '') === __FILE__) {
    $body = file_get_contents('php://stdin');
    $headers = sign_request((string) getenv('SVC_PRIVATE_KEY'), $argv[1], $argv[2], $body, $argv[3] ?? null, $argv[4] ?? null);
    foreach ($headers as $name => $value) {
        echo "$name: $value\n";
    }
}
