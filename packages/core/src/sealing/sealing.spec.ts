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

const PLACE = 'exchange_account/0190b5c2-0000-7000-8000-000000000001';
const theirs = new CipherSuite({
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

  it('opens to exactly what was sealed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2000 }), async (secret) => {
        expect(await opener.open(await sealer.seal(secret, PLACE), PLACE)).toBe(secret);
      }),
      { numRuns: 50 },
    );
  });

  it('is HPKE that another library can open', async () => {
    const [, encapsulated, ciphertext] = (await sealer.seal('the secret', PLACE)).split('.') as [
      string,
      string,
      string,
    ];
    const recipientKey = await theirs.kem.deserializePrivateKey(bytes(pair.privateKey));
    const opened = await theirs.open(
      { recipientKey, enc: bytes(encapsulated), info },
      bytes(ciphertext),
      utf8(PLACE),
    );
    expect(Buffer.from(opened).toString()).toBe('the secret');
  });

  it('can be sealed by another HPKE library', async () => {
    const recipientPublicKey = await theirs.kem.deserializePublicKey(bytes(pair.publicKey));
    const { enc, ct } = await theirs.seal({ recipientPublicKey, info }, utf8('their secret'), utf8(PLACE));
    const box = [pair.id, ...[enc, ct].map((part) => Buffer.from(part).toString('base64url'))].join('.');
    expect(await opener.open(box, PLACE)).toBe('their secret');
  });

  it('does not open in another context', async () => {
    const box = await sealer.seal('the secret', PLACE);
    await expect(opener.open(box, 'exchange_account/other')).rejects.toThrow(SealedBoxError);
  });

  it('does not open once any character is altered', async () => {
    const box = await sealer.seal('the secret', PLACE);
    const anyCharacter = fc.constantFrom(
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!',
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(box.length - 1), anyCharacter, async (at, character) => {
        fc.pre(box[at] !== character);
        const altered = `${box.slice(0, at)}${character}${box.slice(at + 1)}`;
        await expect(opener.open(altered, PLACE)).rejects.toThrow(SealedBoxError);
      }),
    );
  });

  it.each(['', 'a', 'a.b', 'a.b.c', '..', 'a.b.c.d'])('that is malformed (%j) is rejected', async (box) => {
    await expect(opener.open(box, PLACE)).rejects.toThrow(SealedBoxError);
  });

  it('opens after a rotation while its key is in the ring, and not afterwards', async () => {
    const next = await generateSealingKeyPair();
    const old = await sealer.seal('the secret', PLACE);
    const fresh = await (await Sealer.for(next)).seal('the secret', PLACE);
    expect([keyIdOf(old), keyIdOf(fresh)]).toEqual([pair.id, next.id]);

    const both = await Opener.with([next, pair]);
    expect([await both.open(old, PLACE), await both.open(fresh, PLACE)]).toEqual([
      'the secret',
      'the secret',
    ]);
    await expect((await Opener.with([next])).open(old, PLACE)).rejects.toThrow('no key of the ring');
  });

  it('is never sealed to a key with another id', async () => {
    const other = await generateSealingKeyPair();
    await expect(Sealer.for({ id: pair.id, publicKey: other.publicKey })).rejects.toThrow(
      'does not match its id',
    );
  });
});
