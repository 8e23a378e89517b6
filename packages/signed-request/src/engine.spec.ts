import fc from 'fast-check';
import { ENGINES, highSTwin } from '../test/engines.js';
import { nodeCryptoVerifies, privateKeyOfScalar } from '../test/vectors.js';
import { assertKnownAnswers, EngineUnavailableError, type VerifyEngine } from './engine.js';
import { nobleEngine } from './engines/noble.js';
import { publicKeyOf } from './keys.js';

const message = new TextEncoder().encode(
  'POST\n/v1/trades?x=1\n1767225600000\n00112233445566778899aabbccddeeff\ndigest',
);
const privateKey = privateKeyOfScalar(2);
const publicKey = Uint8Array.from(Buffer.from(publicKeyOf(privateKey), 'hex'));
const signature = nobleEngine.sign(message, privateKey);

/** Yields copies of `bytes` with one flipped bit: one copy for each byte. The position of the bit varies. */
function* withOneFlippedBit(bytes: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i++) {
    const altered = Uint8Array.from(bytes);
    altered[i] = (bytes[i] as number) ^ (1 << (i % 8));
    yield altered;
  }
}

const privateKeys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => {
  bytes[0] = 0; // far below n
  bytes[31] = (bytes[31] as number) | 1; // never 0
  return bytes;
});

describe.each(ENGINES)('$name', ({ engine }) => {
  it('rejects a message with any byte altered', () => {
    for (const altered of withOneFlippedBit(message)) {
      expect(engine.verify(altered, signature, publicKey)).toBe(false);
    }
  });

  it('rejects a signature with any byte altered', () => {
    for (const altered of withOneFlippedBit(signature)) {
      expect(engine.verify(message, altered, publicKey)).toBe(false);
    }
  });

  it('rejects a public key with any byte altered', () => {
    for (const altered of withOneFlippedBit(publicKey)) {
      expect(engine.verify(message, signature, altered)).toBe(false);
    }
  });

  it('accepts both s and n − s, for any key and message', () => {
    fc.assert(
      fc.property(privateKeys, fc.uint8Array({ maxLength: 200 }), (key, text) => {
        const signed = nobleEngine.sign(text, key);
        const owner = Uint8Array.from(Buffer.from(publicKeyOf(key), 'hex'));
        expect(engine.verify(text, signed, owner)).toBe(true);
        expect(engine.verify(text, highSTwin(signed), owner)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('does not change the bytes that it receives', () => {
    const twin = highSTwin(signature);
    const before = [Uint8Array.from(message), Uint8Array.from(twin), Uint8Array.from(publicKey)];
    expect(engine.verify(message, twin, publicKey)).toBe(true);
    expect([message, twin, publicKey]).toEqual(before);
  });

  it('accepts Buffers', () => {
    expect(engine.verify(Buffer.from(message), Buffer.from(signature), Buffer.from(publicKey))).toBe(true);
  });

  it('returns false for random bytes of any length, and never throws', () => {
    const bytes = fc.uint8Array({ maxLength: 80 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (text, garbage, key) => {
        expect(engine.verify(text, garbage, key)).toBe(false);
      }),
    );
  });

  it('computes SHA-256', () => {
    expect(engine.sha256Hex(new Uint8Array())).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(engine.sha256Hex(Buffer.from('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('still accepts the valid key and rejects the invalid one when the two keys alternate', () => {
    const offCurve = Uint8Array.from(Buffer.from(`02${'5'.padStart(64, '0')}`, 'hex'));
    for (let round = 0; round < 3; round++) {
      expect(engine.verify(message, signature, offCurve)).toBe(false);
      expect(engine.verify(message, signature, publicKey)).toBe(true);
    }
  });
});

describe('all engines', () => {
  const scalars = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc
      .constantFrom('00'.repeat(32), `${'00'.repeat(31)}01`, 'ff'.repeat(32))
      .map((hex) => Buffer.from(hex, 'hex')),
    // Numbers around the order of the curve.
    fc
      .bigInt({ min: -3n, max: 3n })
      .map((step) => 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n + step)
      .map((value) => Buffer.from(value.toString(16), 'hex')),
    fc.constantFrom(signature.subarray(0, 32), signature.subarray(32), highSTwin(signature).subarray(32)),
  );
  const keys = fc.oneof(
    fc.constant(publicKey),
    fc
      .tuple(fc.constantFrom(0, 2, 3, 4, 6, 7), fc.uint8Array({ minLength: 32, maxLength: 32 }))
      .map(([prefix, x]) => Uint8Array.from([prefix, ...x])),
  );
  const messages = fc.oneof(fc.constant(message), fc.uint8Array({ maxLength: 40 }));

  it('return the same result for any r, s, key and message', () => {
    fc.assert(
      fc.property(messages, scalars, scalars, keys, (text, r, s, key) => {
        const candidate = Uint8Array.from([...r, ...s]);
        const results = ENGINES.map(({ engine }) => engine.verify(text, candidate, key));
        expect(new Set(results).size).toBe(1);
      }),
      { numRuns: 300, examples: [[message, signature.subarray(0, 32), signature.subarray(32), publicKey]] },
    );
  });

  it('accept messages signed by random keys, as node:crypto does', () => {
    fc.assert(
      fc.property(privateKeys, fc.string({ unit: 'binary', maxLength: 60 }), (key, text) => {
        const bytes = new TextEncoder().encode(text);
        const owner = publicKeyOf(key);
        const signed = nobleEngine.sign(bytes, key);
        expect(nodeCryptoVerifies(text, Buffer.from(signed).toString('hex'), owner)).toBe(true);
        for (const { engine } of ENGINES) {
          expect(engine.verify(bytes, signed, Uint8Array.from(Buffer.from(owner, 'hex')))).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('the known-answer test', () => {
  const broken = (verify: VerifyEngine['verify']): VerifyEngine => ({ ...nobleEngine, verify });

  it.each([
    ['accepts everything', broken(() => true)],
    ['rejects everything', broken(() => false)],
    [
      'rejects a high s',
      broken((text, sig, key) => (sig[32] as number) < 0x80 && nobleEngine.verify(text, sig, key)),
    ],
    [
      'throws',
      broken(() => {
        throw new Error('bad binary');
      }),
    ],
  ])('rejects an engine that %s', (_, engine) => {
    expect(() => assertKnownAnswers(engine)).toThrow(EngineUnavailableError);
  });

  it('names the engine and the reason, and keeps the error of its library', () => {
    const failure = new Error('bad binary');
    const thrownBy = (engine: VerifyEngine) => {
      try {
        assertKnownAnswers(engine);
      } catch (error) {
        return error as EngineUnavailableError;
      }
      return undefined;
    };
    const throwing = thrownBy(
      broken(() => {
        throw failure;
      }),
    );
    expect(throwing).toMatchObject({ name: 'EngineUnavailableError', engine: 'noble', cause: failure });
    expect(throwing?.message).toBe(
      'signature engine noble is unavailable: it threw in the known-answer test',
    );
    expect(thrownBy(broken(() => false))?.message).toBe(
      'signature engine noble is unavailable: it failed the known-answer test',
    );
  });

  it.each(ENGINES)('is passed by $name', ({ engine }) => {
    expect(assertKnownAnswers(engine)).toBe(engine);
  });
});
