import fc from 'fast-check';
import { removeSecrets } from './remove-secrets.js';

describe('removeSecrets', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['Could not read the balances of trd_01k9y3wq8ge1a8p8bf1mq93h57.', undefined],
    ['The process is stopping.', undefined],
    ['Unhandled promise rejection; exiting.', undefined],
    ['NETWORK_ERROR_CODES of openPlatformConnections', undefined],
    ['getaddrinfo ENOTFOUND api.exchange.example.com', undefined],
    ['not stopped after 35000 ms', undefined],
    ['must not contain --insecure-http-parser; remove it', undefined],
    ['append ?starttls=required, or use sslmode=verify-full', undefined],
    ['0190a0b1-c2d3-7456-8901-abcdefabcdef-a3 failed at 2026-01-02T03:04:05.678Z', undefined],
  ])('keeps %j', (text, kept = text) => expect(removeSecrets(text)).toBe(kept));

  it.each([
    [
      'GET https://user:pw@api.example.com/v3/account?timestamp=1&signature=ab 401',
      'GET https://api.example.com 401',
    ],
    ['paper {"code":-2015,"msg":"Invalid API-key abc"}', 'paper …'],
    ['invalid input syntax for type uuid: "hunter2"', 'invalid input syntax for type uuid: …'],
    ["password authentication failed for user 'trading'", 'password authentication failed for user …'],
    ['token=abc and password: hunter2', 'token=… and password: …'],
    ['?password=correcthorsebattery', '?password=…'],
    ['Authorization: Bearer abc', 'Authorization: …'],
    ['the apiKey is abc', 'the apiKey is …'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw failed', '… failed'],
    ['redis://:hunter2@127.0.0.1:6379/0 refused', 'redis://127.0.0.1:6379 refused'],
  ])('removes the values of %j', (text, kept) => expect(removeSecrets(text)).toBe(kept));

  it('cuts a long text, and leaves no part of the secret at the cut', () => {
    const text = `${'word '.repeat(798)}abcdefghijk${'0123456789'.repeat(3)} end`;
    expect(removeSecrets(text)).toBe(`${'word '.repeat(798)}…`);
  });

  it('removes random secrets of every usual alphabet, wherever they are', () => {
    const alphabets = [
      '0123456789abcdef',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    ];
    const secret = fc
      .constantFrom(...alphabets)
      .chain((alphabet) =>
        fc
          .array(fc.constantFrom(...alphabet), { minLength: 32, maxLength: 64 })
          .map((letters) => letters.join('')),
      )
      // A secret of so few digits would be one of 10^-9.
      .filter((text) => /\d.*\d/.test(text));
    const around = fc.constantFrom(
      ['', ''],
      ['key ', ' failed'],
      ['svc_live_', '.'],
      ['(', ')'],
      ['a=', '&b=c'],
      ['x: ', ','],
    );
    fc.assert(
      fc.property(secret, around, (text, [before, after]) => {
        expect(removeSecrets(`${before}${text}${after}`)).not.toContain(text);
      }),
      { numRuns: 2_000 },
    );
  });
});
