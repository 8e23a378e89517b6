import { readFileSync } from 'node:fs';
import { identityMessage, verifyMessage } from '@trading-automation/signed-request';
import { nobleEngine } from '@trading-automation/signed-request/browser';
import { createSigner, generatePrivateKey, isValidPublicKey, publicKeyOf, signChallenge } from './index.js';

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const message = new TextEncoder().encode('GET\n/v1/me\n1\n2\n3');

describe('a signer', () => {
  it('is the same for 32 bytes and for their hex characters in either case', async () => {
    const key = generatePrivateKey();
    const signers = [key, hexOf(key), hexOf(key).toUpperCase()].map(createSigner);
    expect(new Set(signers.map(({ publicKey }) => publicKey))).toEqual(new Set([publicKeyOf(key)]));
    const signatures = await Promise.all(signers.map(({ sign }) => sign(message)));
    expect(new Set(signatures.map(hexOf)).size).toBe(1);
    expect(isValidPublicKey(signers[0]!.publicKey)).toBe(true);
  });

  it('keeps its key after the passed bytes are overwritten', async () => {
    const key = generatePrivateKey();
    const signer = createSigner(key);
    const before = hexOf(await signer.sign(message));
    key.fill(0);
    expect(hexOf(await signer.sign(message))).toBe(before);
  });

  it.each<[string, unknown]>([
    ['too short', new Uint8Array(31)],
    ['too long', new Uint8Array(33)],
    ['hex with a prefix', `0x${'1'.repeat(64)}`],
    ['hex that is too short', '1'.repeat(63)],
    ['not hex', 'g'.repeat(64)],
    ['an API key', 'svc_test_x'],
    ['undefined', undefined],
    ['a number', 7],
  ])('is not created from an invalid key: %s', (_, key) => {
    expect(() => createSigner(key as string)).toThrow(TypeError);
  });

  it.each([
    '0'.repeat(64),
    'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
    'f'.repeat(64),
  ])('is not created from 0 or from a number not below the order of the curve: %s', (key) => {
    expect(() => createSigner(key)).toThrow(RangeError);
  });
});

describe('a signed challenge', () => {
  it("is accepted by the service's verifier", async () => {
    const signer = createSigner(generatePrivateKey());
    const proof = await signChallenge('a1'.repeat(32), signer);
    const { challenge, pubkey, signature } = proof;
    const signed = { message: identityMessage(challenge, pubkey), signature, publicKey: pubkey };
    expect(verifyMessage(signed, nobleEngine)).toBe(true);
    expect(verifyMessage({ ...signed, message: identityMessage('b2'.repeat(32), pubkey) }, nobleEngine)).toBe(
      false,
    );
  });

  it('equals the published vector byte for byte', async () => {
    const url = new URL('../../../signed-request/vectors/cli-identities.json', import.meta.url);
    const [vector] = JSON.parse(readFileSync(url, 'utf8')).vectors;
    const signer = createSigner(`${'0'.repeat(63)}1`);
    expect(await signChallenge(vector.challenge, signer)).toEqual({
      challenge: vector.challenge,
      pubkey: vector.public_key,
      signature: vector.signature,
    });
  });
});
