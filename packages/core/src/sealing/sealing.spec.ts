import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import fc from 'fast-check';
import {
  generateSealingKeyPair,
  keyIdOf,
  Opener,
  SealedBoxError,
  Sealer,
  type SealingKeyPair,
} from './sealing.js';

const CONTEXT = 'exchange_account/0190b5c2-0000-7000-8000-000000000001';
const otherLibrary = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url')).buffer;
const utf8 = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;
const info = utf8('trading-automation/sealed-box/v1');

describe('a sealed box', () => {
  let pair: SealingKeyPair;
  let sealer: Sealer;
  let opener: Opener;
  beforeAll(async () => {
    pair = await generateSealingKeyPair();
    sealer = await Sealer.for(pair);
    opener = await Opener.with([pair]);
  });

  it('opens to the secret that was sealed, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2000 }), async (secret) => {
        expect(await opener.open(await sealer.seal(secret, CONTEXT), CONTEXT)).toBe(secret);
      }),
      { numRuns: 50 },
    );
  });

  it('can be opened by another HPKE library', async () => {
    const [, encapsulated, ciphertext] = (await sealer.seal('the secret', CONTEXT)).split('.') as [
      string,
      string,
      string,
    ];
    const recipientKey = await otherLibrary.kem.deserializePrivateKey(bytes(pair.privateKey));
    const opened = await otherLibrary.open(
      { recipientKey, enc: bytes(encapsulated), info },
      bytes(ciphertext),
      utf8(CONTEXT),
    );
    expect(Buffer.from(opened).toString()).toBe('the secret');
  });

  it('can be sealed by another HPKE library', async () => {
    const recipientPublicKey = await otherLibrary.kem.deserializePublicKey(bytes(pair.publicKey));
    const { enc, ct } = await otherLibrary.seal(
      { recipientPublicKey, info },
      utf8('another secret'),
      utf8(CONTEXT),
    );
    const box = [pair.id, ...[enc, ct].map((part) => Buffer.from(part).toString('base64url'))].join('.');
    expect(await opener.open(box, CONTEXT)).toBe('another secret');
  });

  it('does not open in another context', async () => {
    const box = await sealer.seal('the secret', CONTEXT);
    await expect(opener.open(box, 'exchange_account/other')).rejects.toThrow(SealedBoxError);
  });

  it('does not open if any character is altered', async () => {
    const box = await sealer.seal('the secret', CONTEXT);
    const anyCharacter = fc.constantFrom(
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!',
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(box.length - 1), anyCharacter, async (at, character) => {
        fc.pre(box[at] !== character);
        const altered = `${box.slice(0, at)}${character}${box.slice(at + 1)}`;
        await expect(opener.open(altered, CONTEXT)).rejects.toThrow(SealedBoxError);
      }),
    );
  });

  it('does not open with more parts, nor with another notation of the same bytes', async () => {
    const box = await sealer.seal('the secret', CONTEXT);
    const [id = '', encapsulated = '', ciphertext = ''] = box.split('.');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const otherNotations = (part: string) =>
      [...alphabet, '=']
        .flatMap((end) => [part.slice(0, -1) + end, part + end])
        .filter(
          (text) => text !== part && Buffer.from(text, 'base64url').equals(Buffer.from(part, 'base64url')),
        );
    const altered = [
      ...['', 'x', ciphertext].map((more) => `${box}.${more}`),
      ...otherNotations(encapsulated).map((text) => [id, text, ciphertext].join('.')),
      ...otherNotations(ciphertext).map((text) => [id, encapsulated, text].join('.')),
    ];
    expect(altered.length).toBeGreaterThan(6);
    for (const text of altered) await expect(opener.open(text, CONTEXT)).rejects.toThrow(SealedBoxError);
  });

  it.each(['', 'a', 'a.b', 'a.b.c', '..', 'a.b.c.d'])('is rejected if it is malformed: %j', async (box) => {
    await expect(opener.open(box, CONTEXT)).rejects.toThrow(SealedBoxError);
  });

  it('opens after a key rotation, as long as its key is in the ring', async () => {
    const next = await generateSealingKeyPair();
    const oldBox = await sealer.seal('the secret', CONTEXT);
    const newBox = await (await Sealer.for(next)).seal('the secret', CONTEXT);
    expect([keyIdOf(oldBox), keyIdOf(newBox)]).toEqual([pair.id, next.id]);

    const both = await Opener.with([next, pair]);
    for (const box of [oldBox, newBox]) await expect(both.open(box, CONTEXT)).resolves.toBe('the secret');
    await expect((await Opener.with([next])).open(oldBox, CONTEXT)).rejects.toThrow('no key of the ring');
  });

  it('cannot be sealed to a public key that does not match its id', async () => {
    const other = await generateSealingKeyPair();
    await expect(Sealer.for({ id: pair.id, publicKey: other.publicKey })).rejects.toThrow(
      'does not match its id',
    );
  });
});
