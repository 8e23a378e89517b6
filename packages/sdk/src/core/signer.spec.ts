import { createPublicKey, ECDH, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  canonicalString,
  InMemoryReplayWindow,
  nobleEngine,
  verifyRequest,
} from '@trading-automation/signed-request/browser';
import fc from 'fast-check';
// @ts-expect-error the native library has no types
import secp256k1 from 'secp256k1';
import { createSigner, generatePrivateKey } from '../signer/index.js';
import { canonicalStringOf, type SignedParts, signatureHeaders } from './signer.js';

interface Vector {
  readonly name: string;
  readonly private_scalar: string;
  readonly method: string;
  readonly path: string;
  readonly timestamp: string | null;
  readonly nonce: string | null;
  readonly body: { readonly encoding: 'utf8' | 'hex'; readonly value: string };
  readonly canonical_string: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const vectorsIn = (file: string): readonly Vector[] => {
  const url = new URL(`../../../signed-request/vectors/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).vectors;
};
/** Selects the vectors whose body is text: the SDK sends only JSON in UTF-8. */
const hasTextBody = ({ body, canonical_string }: Vector) =>
  canonical_string !== null &&
  Buffer.from(Buffer.from(body.value, body.encoding).toString(), 'utf8').equals(
    Buffer.from(body.value, body.encoding),
  );
const accepted = vectorsIn('requests-accepted').filter(hasTextBody);
const allVectors = [...accepted, ...vectorsIn('requests-refused').filter(hasTextBody)];
const bodyOf = ({ body }: Vector) => Buffer.from(body.value, body.encoding).toString();

const signer = createSigner(generatePrivateKey());
const anyRequest = fc.record<SignedParts>({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: fc.webPath().map((path) => `/v1${path}?a=%20`),
  body: fc.oneof(fc.constant(''), fc.json()),
  nowMs: fc.double({ min: 0, max: 2 ** 43, noNaN: true }),
});

describe('the canonical string', () => {
  it.each(allVectors)('of the vector "$name" equals the published one', async (vector) => {
    const { method, path, timestamp, nonce, canonical_string } = vector;
    expect(
      await canonicalStringOf({ method, path, body: bodyOf(vector) }, String(timestamp), String(nonce)),
    ).toBe(canonical_string);
  });

  it('equals the one that the server computes, for any request', async () => {
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
    await fc.assert(
      fc.asyncProperty(anyRequest, hex, async ({ method, path, body }, nonce) => {
        const timestamp = '1767225600000';
        expect(await canonicalStringOf({ method, path, body }, timestamp, nonce)).toBe(
          canonicalString({ method, path, body, timestamp, nonce }),
        );
      }),
    );
  });
});

describe('the headers of a signed request', () => {
  const signed = async (each: SignedParts) => {
    let canonical = '';
    const headers = await signatureHeaders(signer, each, (canonicalString) => {
      canonical = canonicalString;
    });
    return { headers, canonical, signature: Buffer.from(headers['x-svc-sig']!, 'hex') };
  };

  it("are accepted once by the service's verifier", async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (each) => {
        const { headers } = await signed(each);
        const body = new TextEncoder().encode(each.body);
        const dependencies = {
          engine: nobleEngine,
          findPublicKey: async (key: string) => key,
          replayWindow: new InMemoryReplayWindow({ nowMs: () => each.nowMs }),
          nowMs: () => each.nowMs,
        };
        const { method, path } = each;
        const verdict = await verifyRequest({ method, path, headers, body }, dependencies);
        expect(verdict).toMatchObject({ kind: 'accepted', publicKey: signer.publicKey });
        const again = await verifyRequest({ method, path, headers, body }, dependencies);
        expect(again).toMatchObject({ kind: 'refused', code: 'nonce_replayed' });
      }),
      { numRuns: 25 },
    );
  });

  it("are verified by Node's crypto", async () => {
    const point = ECDH.convertKey(signer.publicKey, 'secp256k1', 'hex', 'hex', 'uncompressed') as string;
    const [x, y] = [point.slice(2, 66), point.slice(66)].map((half) =>
      Buffer.from(half, 'hex').toString('base64url'),
    );
    const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: x!, y: y! }, format: 'jwk' });
    await fc.assert(
      fc.asyncProperty(anyRequest, async (each) => {
        const { canonical, signature } = await signed(each);
        const check = (text: string) =>
          verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
        expect([check(canonical), check(`${canonical} `)]).toEqual([true, false]);
      }),
      { numRuns: 25 },
    );
  });

  it('are verified by libsecp256k1, which accepts only low-s signatures', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (each) => {
        const { canonical, signature } = await signed(each);
        const digest = async (text: string) =>
          new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
        const key = Uint8Array.from(Buffer.from(signer.publicKey, 'hex'));
        const check = async (text: string) =>
          secp256k1.ecdsaVerify(Uint8Array.from(signature), await digest(text), key);
        expect([await check(canonical), await check(`${canonical} `)]).toEqual([true, false]);
      }),
      { numRuns: 25 },
    );
  });

  it('have a new nonce each time, and a timestamp in whole milliseconds', async () => {
    const each = { method: 'GET', path: '/v1/me', body: '', nowMs: 1_767_225_600_000.4 };
    const requests = await Promise.all(Array.from({ length: 50 }, () => signed(each)));
    expect(new Set(requests.map(({ headers }) => headers['x-svc-nonce'])).size).toBe(50);
    expect(new Set(requests.map(({ headers }) => headers['x-svc-timestamp']))).toEqual(
      new Set(['1767225600000']),
    );
  });

  it('are not created if the signer does not return 64 bytes', async () => {
    for (const length of [0, 63, 65, 70, 71, 72]) {
      const invalidSigner = { publicKey: signer.publicKey, sign: () => new Uint8Array(length) };
      await expect(
        signatureHeaders(invalidSigner, { method: 'GET', path: '/', body: '', nowMs: 0 }),
      ).rejects.toBeInstanceOf(TypeError);
    }
  });

  it.each(accepted.filter(({ name }) => !name.includes('high-s')))(
    'of the vector "$name" equal the published ones',
    async (vector) => {
      const privateKey = new Uint8Array(32).fill(Number(vector.private_scalar), 31);
      const sign = createSigner(privateKey);
      const message = new TextEncoder().encode(vector.canonical_string!);
      expect([sign.publicKey, Buffer.from(await sign.sign(message)).toString('hex')]).toEqual([
        vector.headers['x-svc-pubkey'],
        vector.headers['x-svc-sig'],
      ]);
    },
  );
});
