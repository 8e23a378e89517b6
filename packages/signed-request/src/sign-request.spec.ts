import { ENGINES } from '../test/engines.js';
import { privateKeyOfScalar } from '../test/vectors.js';
import { canonicalString, canonicalStringOfDigest, isSignableRequestLine } from './canonical-string.js';
import { hexToBytes, isLowerHex, toBytes } from './encoding.js';
import { hasVerifiableLengths } from './engine.js';
import { nobleEngine } from './engines/noble.js';
import { publicKeyOf } from './keys.js';
import { LruCache } from './lru-cache.js';
import { identityMessage, signMessage, verifyMessage } from './message-signature.js';
import { InMemoryReplayWindow, ReplayWindowFullError } from './replay-window.js';
import { createRequestSigner, signRequest } from './sign-request.js';

const privateKey = privateKeyOfScalar(1);
const publicKey = publicKeyOf(privateKey);
const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const nonce = '0a'.repeat(16);
const request = { method: 'get', path: '/v1/time', nowMs: 1_767_225_600_000, nonce };

describe('a request signer', () => {
  it('signs the canonical string of the request, with an empty body by default', () => {
    const headers = createRequestSigner(privateKey)(request);
    const canonical = `GET\n/v1/time\n1767225600000\n${nonce}\n${EMPTY_DIGEST}`;
    expect(headers).toEqual({
      'x-svc-pubkey': publicKey,
      'x-svc-timestamp': '1767225600000',
      'x-svc-nonce': nonce,
      'x-svc-sig': signMessage(canonical, privateKey),
    });
    expect(canonicalString({ ...request, timestamp: '1767225600000', body: '' })).toBe(canonical);
    expect(signRequest({ ...request, privateKey })).toEqual(headers);
  });

  it('uses a new nonce and the system clock by default', () => {
    const sign = createRequestSigner(privateKey);
    const before = Date.now();
    const [one, other] = [sign({ method: 'GET', path: '/' }), sign({ method: 'GET', path: '/' })];
    expect(one['x-svc-nonce']).toMatch(/^[0-9a-f]{32}$/);
    expect(other['x-svc-nonce']).not.toBe(one['x-svc-nonce']);
    expect(Number(one['x-svc-timestamp'])).toBeGreaterThanOrEqual(before);
    expect(Number(one['x-svc-timestamp'])).toBeLessThanOrEqual(Date.now());
  });

  it('signs with the passed library', () => {
    const signed: Uint8Array[] = [];
    const signer = {
      sign(message: Uint8Array, key: Uint8Array) {
        signed.push(message);
        return nobleEngine.sign(message, key);
      },
    };
    expect(createRequestSigner(privateKey, { signer })(request)).toEqual(
      createRequestSigner(privateKey)(request),
    );
    expect(signRequest({ ...request, privateKey, signer })['x-svc-nonce']).toBe(nonce);
    expect(signed).toHaveLength(2);
  });

  const line = new TypeError(
    'The method must be an HTTP token and the target visible ASCII. Percent-encode other characters.',
  );
  const time = (got: string) =>
    new RangeError(`nowMs must be a non-negative integer of milliseconds; got ${got}.`);
  const form = new RangeError('The nonce must be 32 lower-case hex characters.');
  it.each([
    [{ method: '' }, line],
    [{ method: 'GET ' }, line],
    [{ method: ' GET' }, line],
    [{ path: '' }, line],
    [{ path: '/ü' }, line],
    [{ path: '/a b' }, line],
    [{ path: ' /' }, line],
    [{ path: '/ ' }, line],
    [{ nowMs: -1 }, time('-1')],
    [{ nowMs: 1.5 }, time('1.5')],
    [{ nowMs: Number.NaN }, time('NaN')],
    [{ nonce: '' }, form],
    [{ nonce: '0A'.repeat(16) }, form],
    [{ nonce: '0a'.repeat(15) }, form],
  ])('rejects %j', (changed, error) => {
    expect(() => createRequestSigner(privateKey)({ ...request, ...changed })).toThrow(error);
  });

  it('accepts the time 0', () => {
    expect(createRequestSigner(privateKey)({ ...request, nowMs: 0 })['x-svc-timestamp']).toBe('0');
  });

  it('rejects an invalid private key', () => {
    expect(() => createRequestSigner(new Uint8Array(32))).toThrow(
      new RangeError(
        'The private key must be a number from 1 to n−1 in 32 bytes; n is the order of secp256k1.',
      ),
    );
  });
});

describe('the canonical string', () => {
  it('separates its parts by newlines, and changes only the case of the method', () => {
    expect(canonicalStringOfDigest({ method: 'pOst', path: '/A?b', timestamp: '01', nonce: 'N' }, 'D')).toBe(
      'POST\n/A?b\n01\nN\nD',
    );
    expect(canonicalString({ ...request, timestamp: '1', body: toBytes('') })).toContain(EMPTY_DIGEST);
  });

  it.each([
    ['GET', '/', true],
    ['CONNECT', '/graphql', true],
    ["!#$%&'*+.^_`|~-0", '/~', true],
    ['GET', '!', true],
    ['GET\n', '/', false],
    ['G(T', '/', false],
    ['GET', '/\n', false],
    ['GET', '/\u007f', false],
    ['GET', '', false],
    ['', '/', false],
  ])('covers the method %j and the target %j: %p', (method, path, isSignable) => {
    expect(isSignableRequestLine(method, path)).toBe(isSignable);
  });
});

describe.each(ENGINES)('a signed message, verified by $name', ({ engine }) => {
  const message = identityMessage('challenge', publicKey);
  const signature = signMessage(message, privateKey);

  it('is valid for its own key only', () => {
    expect(message).toBe(`svc-cli-identity\nchallenge\n${publicKey}`);
    expect(verifyMessage({ message, signature, publicKey }, engine)).toBe(true);
    expect(verifyMessage({ message: toBytes(message), signature, publicKey }, engine)).toBe(true);
    const other = publicKeyOf(privateKeyOfScalar(2));
    expect(verifyMessage({ message, signature, publicKey: other }, engine)).toBe(false);
    expect(verifyMessage({ message: `${message} `, signature, publicKey }, engine)).toBe(false);
  });

  it.each([
    ['an upper-case signature', { signature: signature.toUpperCase() }],
    ['a longer signature', { signature: `${signature}00` }],
    ['a shorter signature', { signature: signature.slice(2) }],
    ['an upper-case key', { publicKey: publicKey.toUpperCase() }],
    ['a longer key', { publicKey: `${publicKey}00` }],
    ['a key that is not on the curve', { publicKey: `02${'5'.padStart(64, '0')}` }],
  ])('is invalid with %s', (_case, changed) => {
    expect(verifyMessage({ message, signature, publicKey, ...changed }, engine)).toBe(false);
  });
});

it.each([
  ['', 0, true],
  ['0f', 1, true],
  ['09af', 2, true],
  ['0F', 1, false],
  ['0g', 1, false],
  ['g0', 1, false],
  ['0', 1, false],
  ['0f0', 1, false],
  ['0f\n', 1, false],
])('%j is the lower-case hex of %p bytes: %p', (value, length, isHex) => {
  expect(isLowerHex(value, length)).toBe(isHex);
});

it.each([
  [64, 33, true],
  [63, 33, false],
  [64, 32, false],
  [65, 33, false],
  [64, 65, false],
])('a signature of %p bytes and a key of %p bytes can be verified: %p', (signature, key, can) => {
  expect(hasVerifiableLengths(new Uint8Array(signature), new Uint8Array(key))).toBe(can);
});

it('bytes are used as they are, and strings as UTF-8', () => {
  const bytes = hexToBytes('00ff');
  expect(toBytes(bytes)).toBe(bytes);
  expect([...toBytes('é')]).toEqual([0xc3, 0xa9]);
});

describe('a cache of recently used entries', () => {
  it('evicts the entry that was used least recently', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
    cache.set('a', 4);
    cache.set('d', 5);
    expect([cache.get('a'), cache.get('c'), cache.get('d'), cache.size]).toEqual([4, undefined, 5, 2]);
  });
});

describe('a replay window', () => {
  it('names its limit when it is full', async () => {
    const replayWindow = new InMemoryReplayWindow({ nowMs: () => 0, nonceCountMax: 1 });
    await replayWindow.claim('key', 'a', 10);
    const error = await replayWindow.claim('key', 'b', 10).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReplayWindowFullError);
    expect(error).toMatchObject({
      name: 'ReplayWindowFullError',
      nonceCountMax: 1,
      message: 'The replay window is full: it has 1 unexpired nonces.',
    });
  });

  it('drops only expired nonces, and only when it is full', async () => {
    const clock = { nowMs: 0 };
    const replayWindow = new InMemoryReplayWindow({ nowMs: () => clock.nowMs, nonceCountMax: 2 });
    await replayWindow.claim('key', 'short', 10);
    await replayWindow.claim('key', 'long', 100);
    clock.nowMs = 10;
    expect(await replayWindow.claim('key', 'c', 10)).toBe(true);
    expect(await replayWindow.claim('key', 'long', 10)).toBe(false);
  });

  it('uses the system clock and holds 100,000 nonces by default', async () => {
    const replayWindow = new InMemoryReplayWindow();
    for (let n = 0; n < 100_000; n++) await replayWindow.claim('key', String(n), 600_000);
    expect(await replayWindow.claim('key', '5', 600_000)).toBe(false);
    await expect(replayWindow.claim('key', 'more', 600_000)).rejects.toThrow('has 100000 unexpired');
  });
});
