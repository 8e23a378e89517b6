import fc from 'fast-check';
import { ENGINES } from '../test/engines.js';
import { privateKeyOfScalar } from '../test/vectors.js';
import { canonicalString } from './canonical-string.js';
import type { VerifyEngine } from './engine.js';
import { nobleEngine } from './engines/noble.js';
import { publicKeyOf } from './keys.js';
import { signMessage } from './message-signature.js';
import { InMemoryReplayWindow, NONCE_TTL_MS } from './replay-window.js';
import { signRequest } from './sign-request.js';
import type { SignatureHeaderName } from './signature-headers.js';
import { type ReceivedRequest, verifyRequest } from './verify-request.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const privateKey = privateKeyOfScalar(1);
const publicKey = publicKeyOf(privateKey);
const body = new TextEncoder().encode('{"side":"BUY","amount":"1.5"}');
const requestLine = { method: 'POST', path: '/v1/trades?dry=1&a=%20' };
const headers = signRequest({ ...requestLine, body, privateKey, nowMs: NOW_MS, nonce: '0a'.repeat(16) });
const request: ReceivedRequest = { ...requestLine, body, headers };

/**
 * Returns dependencies that know every key, so that an altered key is rejected by the signature check and not already
 * by the lookup. `calls` lists the calls of the dependencies.
 */
function verifierWith(engine: VerifyEngine, nowMs = NOW_MS) {
  const calls: string[] = [];
  const replayWindow = new InMemoryReplayWindow({ nowMs: () => nowMs });
  const dependencies = {
    engine: {
      name: engine.name,
      sha256Hex: engine.sha256Hex,
      verify: (...args: Parameters<VerifyEngine['verify']>) => {
        calls.push('signature');
        return engine.verify(...args);
      },
    },
    findPublicKey: async (key: string): Promise<{ key: string } | null> => {
      calls.push('key');
      return { key };
    },
    replayWindow: {
      claim: (key: string, nonce: string, ttlMs: number) => {
        calls.push(`nonce for ${ttlMs}`);
        return replayWindow.claim(key, nonce, ttlMs);
      },
    },
    nowMs: () => nowMs,
  };
  return { calls, dependencies };
}

function withAlteredByte(text: string, index: number, mask: number): string {
  const bytes = Buffer.from(text, 'latin1');
  bytes[index % bytes.length] = (bytes[index % bytes.length] ?? 0) ^ mask;
  return bytes.toString('latin1');
}

describe.each(ENGINES)('verifyRequest with $name', ({ engine }) => {
  it('accepts a signed request and returns the identity', async () => {
    expect(await verifyRequest(request, verifierWith(engine).dependencies)).toEqual({
      kind: 'accepted',
      identity: { key: publicKey },
      publicKey,
      nonce: '0a'.repeat(16),
      timestampMs: NOW_MS,
    });
  });

  it('rejects a request if any byte of any part is altered, and records no nonce', async () => {
    const parts = fc.constantFrom<'method' | 'path' | 'body' | SignatureHeaderName>(
      'method',
      'path',
      'body',
      'x-svc-pubkey',
      'x-svc-timestamp',
      'x-svc-nonce',
      'x-svc-sig',
    );
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(1_000), fc.integer({ min: 1, max: 255 }), async (part, index, mask) => {
        // The method is signed in upper case, so its other case is the same method.
        fc.pre(part !== 'method' || mask !== 0x20);
        const altered = withAlteredPart(part, index, mask);
        const { calls, dependencies } = verifierWith(engine);
        expect((await verifyRequest(altered, dependencies)).kind).toBe('refused');
        expect(calls.some((step) => step.startsWith('nonce'))).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['PO ST', '/v1/trades'],
    ['POST\n', '/v1/trades'],
    ['', '/v1/trades'],
    ['POST', '/v1/trades?note=a b'],
    ['POST', '/v1/trades\n'],
    ['POST', '/v1/tr\u00e4des'],
    ['POST', ''],
  ])('rejects the request line %j %j, even with a signature over it', async (method, path) => {
    const timestamp = String(NOW_MS);
    const nonce = '0b'.repeat(16);
    const canonical = canonicalString({ method, path, timestamp, nonce, body });
    const signed = {
      'x-svc-pubkey': publicKey,
      'x-svc-timestamp': timestamp,
      'x-svc-nonce': nonce,
      'x-svc-sig': signMessage(canonical, privateKey),
    };
    const { dependencies } = verifierWith(engine);
    expect(await verifyRequest({ method, path, body, headers: signed }, dependencies)).toEqual({
      kind: 'refused',
      code: 'invalid_signature',
    });
    const line = { method: 'POST', path: '/v1/trades' };
    const valid = signMessage(canonicalString({ ...line, timestamp, nonce, body }), privateKey);
    expect(
      await verifyRequest({ ...line, body, headers: { ...signed, 'x-svc-sig': valid } }, dependencies),
    ).toMatchObject({ kind: 'accepted' });
  });

  it('accepts exactly one of 100 concurrent copies of a request', async () => {
    const { dependencies } = verifierWith(engine);
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, () => verifyRequest(request, dependencies)),
    );
    expect(verdicts.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(verdicts.filter((v) => v.kind === 'refused' && v.code === 'nonce_replayed')).toHaveLength(99);
  });
});

function withAlteredPart(part: string, index: number, mask: number): ReceivedRequest {
  if (part === 'method') return { ...request, method: withAlteredByte(request.method, index, mask) };
  if (part === 'path') return { ...request, path: withAlteredByte(request.path, index, mask) };
  if (part === 'body') {
    const altered = Uint8Array.from(body);
    altered[index % body.length] = (body[index % body.length] ?? 0) ^ mask;
    return { ...request, body: altered };
  }
  const name = part as SignatureHeaderName;
  return { ...request, headers: { ...headers, [name]: withAlteredByte(headers[name], index, mask) } };
}

describe('verifyRequest', () => {
  it.each([
    [-60_000, 'accepted'],
    [60_000, 'accepted'],
    [-60_001, 'timestamp_out_of_window'],
    [60_001, 'timestamp_out_of_window'],
  ])('with a clock difference of %i ms, returns %s', async (offMs, expected) => {
    const { dependencies } = verifierWith(nobleEngine, NOW_MS + offMs);
    const verdict = await verifyRequest(request, dependencies);
    expect(verdict.kind === 'refused' ? verdict.code : verdict.kind).toBe(expected);
    if (expected !== 'accepted') expect(verdict).toHaveProperty('serverTimeMs', NOW_MS + offMs);
  });

  it('rejects every request if the server clock returns NaN', async () => {
    const verdict = await verifyRequest(request, verifierWith(nobleEngine, Number.NaN).dependencies);
    expect(verdict).toMatchObject({ kind: 'refused', code: 'timestamp_out_of_window' });
  });

  it('returns "absent" and calls no dependency if no signature header is present', async () => {
    const { calls, dependencies } = verifierWith(nobleEngine);
    expect(await verifyRequest({ ...request, headers: ['X-API-Key', 'k'] }, dependencies)).toEqual({
      kind: 'absent',
    });
    expect(calls).toEqual([]);
  });

  it('looks up the key, verifies the signature and then claims the nonce for ten minutes, in this order', async () => {
    const { calls, dependencies } = verifierWith(nobleEngine);
    await verifyRequest(request, dependencies);
    expect(calls).toEqual(['key', 'signature', `nonce for ${NONCE_TTL_MS}`]);
  });

  it('neither looks up a key nor verifies a signature if headers are malformed or the timestamp is old', async () => {
    const malformed = verifierWith(nobleEngine);
    await verifyRequest({ ...request, headers: { ...headers, 'x-svc-sig': '00' } }, malformed.dependencies);
    const old = verifierWith(nobleEngine, NOW_MS + 60_001);
    await verifyRequest(request, old.dependencies);
    expect([...malformed.calls, ...old.calls]).toEqual([]);
  });

  it('verifies no signature for an unknown key', async () => {
    const { calls, dependencies } = verifierWith(nobleEngine);
    const verdict = await verifyRequest(request, { ...dependencies, findPublicKey: async () => null });
    expect(verdict).toEqual({ kind: 'refused', code: 'unknown_public_key' });
    expect(calls).toEqual([]);
  });

  it('throws if the replay window or the lookup of the key fails', async () => {
    const unavailable = async () => {
      throw new Error('storage is unavailable');
    };
    const { dependencies } = verifierWith(nobleEngine);
    await expect(verifyRequest(request, { ...dependencies, findPublicKey: unavailable })).rejects.toThrow(
      'unavailable',
    );
    await expect(
      verifyRequest(request, { ...dependencies, replayWindow: { claim: unavailable } }),
    ).rejects.toThrow('unavailable');
  });

  it('does not use up the nonce of a genuine request when it rejects a forged one', async () => {
    const { dependencies } = verifierWith(nobleEngine);
    await verifyRequest({ ...request, path: '/v1/withdrawals' }, dependencies);
    expect((await verifyRequest(request, dependencies)).kind).toBe('accepted');
  });

  it('accepts a GraphQL connection_init: CONNECT, /graphql, no body, values from the payload', async () => {
    const connect = { method: 'CONNECT', path: '/graphql' };
    const payload = { ...signRequest({ ...connect, privateKey, nowMs: NOW_MS }), locale: 'en' };
    const { dependencies } = verifierWith(nobleEngine);
    const received = { ...connect, body: new Uint8Array(), headers: payload };
    expect((await verifyRequest(received, dependencies)).kind).toBe('accepted');
  });

  it.each([
    ['GET\n/v1/me', '/v1/trades'],
    ['GET', '/v1/trades\nx'],
    ['GET', '/v1/Zürich'],
    ['GET', ''],
    ['', '/v1/me'],
  ])('rejects a request line that no client can sign: %j %j', async (method, path) => {
    const { dependencies } = verifierWith(nobleEngine);
    expect(await verifyRequest({ ...request, method, path }, dependencies)).toEqual({
      kind: 'refused',
      code: 'invalid_signature',
    });
    expect(() => signRequest({ method, path, privateKey })).toThrow(TypeError);
  });
});
