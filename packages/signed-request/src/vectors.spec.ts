import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../test/engines.js';
import {
  acceptedRequests,
  bareSignatures,
  bodyOf,
  cliIdentities,
  nodeCryptoVerifies,
  privateKeyOfScalar,
  type RequestVector,
  refusedRequests,
  webhooks,
} from '../test/vectors.js';
import {
  canonicalString,
  InMemoryReplayWindow,
  identityMessage,
  NONCE_TTL_MS,
  publicKeyOf,
  type RequestVerification,
  signMessage,
  signRequest,
  type VerifyEngine,
  verifyMessage,
  verifyRequest,
} from './index.js';
import { type ReceivedWebhook, verifyWebhook, WebhookVerificationError } from './webhooks.js';
import { verifyWebhook as verifyByWebCrypto } from './webhooks-web-crypto.js';

const requestVectors = [...acceptedRequests.vectors, ...refusedRequests.vectors];
const utf8 = new TextEncoder();
const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

async function verifyVector(
  vector: RequestVector,
  engine: VerifyEngine,
): Promise<RequestVerification<{ publicKey: string }>> {
  const { server_time_ms, known_public_keys } = refusedRequests;
  const replayWindow = new InMemoryReplayWindow({ nowMs: () => 0 });
  if (vector.nonce_claimed_before) {
    await replayWindow.claim(String(vector.headers['x-svc-pubkey']), String(vector.nonce), NONCE_TTL_MS);
  }
  return verifyRequest(
    { method: vector.method, path: vector.path, headers: vector.headers, body: bodyOf(vector) },
    {
      engine,
      replayWindow,
      nowMs: () => server_time_ms,
      findPublicKey: async (publicKey) => (known_public_keys.includes(publicKey) ? { publicKey } : null),
    },
  );
}

describe('the committed vectors', () => {
  it('equal the output of the generator', () => {
    const script = fileURLToPath(new URL('../scripts/build-vectors.mjs', import.meta.url));
    expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
  });

  it('have the same clock and the same known keys in both request files', () => {
    expect(acceptedRequests.server_time_ms).toBe(refusedRequests.server_time_ms);
    expect(acceptedRequests.known_public_keys).toEqual(refusedRequests.known_public_keys);
  });

  it('cover every refusal code', () => {
    expect(new Set(refusedRequests.vectors.map((vector) => vector.expected))).toEqual(
      new Set([
        'invalid_signature_headers',
        'timestamp_out_of_window',
        'unknown_public_key',
        'invalid_signature',
        'nonce_replayed',
      ]),
    );
  });
});

describe.each(ENGINES)('verification with $name', ({ engine }) => {
  it.each(requestVectors)('returns $expected for the request "$name"', async (vector) => {
    const verdict = await verifyVector(vector, engine);
    expect(verdict.kind === 'refused' ? verdict.code : verdict.kind).toBe(vector.expected);
  });

  it.each(bareSignatures.vectors)('returns $valid for the signature "$name"', (vector) => {
    const { message, signature, public_key } = vector;
    expect(engine.verify(utf8.encode(message), fromHex(signature), fromHex(public_key))).toBe(vector.valid);
  });

  it.each(cliIdentities.vectors)(
    'returns $valid for the identity signature "$name"',
    ({ message, signature, public_key, valid }) => {
      expect(verifyMessage({ message, signature, publicKey: public_key }, engine)).toBe(valid);
    },
  );
});

describe('node:crypto, independent of the engines,', () => {
  const isSignatureValid = ({ canonical_string, headers }: RequestVector) =>
    nodeCryptoVerifies(
      String(canonical_string),
      String(headers['x-svc-sig']),
      String(headers['x-svc-pubkey']),
    );

  it.each(requestVectors)('computes the body digest of "$name"', (vector) => {
    expect(createHash('sha256').update(bodyOf(vector)).digest('hex')).toBe(vector.body_sha256);
  });

  it.each(requestVectors.filter(({ expected }) => expected === 'accepted' || expected === 'nonce_replayed'))(
    'accepts the signature of "$name"',
    (vector) => expect(isSignatureValid(vector)).toBe(true),
  );

  it.each(requestVectors.filter(({ expected }) => expected === 'invalid_signature'))(
    'rejects the signature of "$name"',
    (vector) => expect(isSignatureValid(vector)).toBe(false),
  );

  it.each([...bareSignatures.vectors, ...cliIdentities.vectors])(
    'returns $valid for the signature "$name"',
    ({ message, signature, public_key, valid }) => {
      expect(nodeCryptoVerifies(message, signature, public_key)).toBe(valid);
    },
  );
});

describe('signing', () => {
  const wellFormed = requestVectors.filter(({ canonical_string }) => canonical_string !== null);

  it.each(wellFormed)('builds the canonical string of "$name"', (vector) => {
    const { method, path, timestamp, nonce } = vector;
    expect(
      canonicalString({
        method,
        path,
        timestamp: String(timestamp),
        nonce: String(nonce),
        body: bodyOf(vector),
      }),
    ).toBe(vector.canonical_string);
  });

  const signedWithLowS = acceptedRequests.vectors.filter(({ name }) => !name.includes('high-s'));

  it.each(signedWithLowS)('reproduces the headers of "$name"', (vector) => {
    expect(
      signRequest({
        method: vector.method,
        path: vector.path,
        body: bodyOf(vector),
        nowMs: Number(vector.timestamp),
        nonce: String(vector.nonce),
        privateKey: privateKeyOfScalar(vector.private_scalar),
      }),
    ).toEqual(vector.headers);
  });

  it('reproduces the identity signature of scalar 1', () => {
    const [identity] = cliIdentities.vectors;
    const privateKey = privateKeyOfScalar(1);
    const message = identityMessage(String(identity?.challenge), publicKeyOf(privateKey));
    expect(message).toBe(identity?.message);
    expect(signMessage(message, privateKey)).toBe(identity?.signature);
  });
});

describe('the worked example of docs/security/signed-request.md', () => {
  const page = readFileSync(new URL('../../../docs/security/signed-request.md', import.meta.url), 'utf8');
  const example = acceptedRequests.vectors.find(({ name }) => page.includes(`the vector "${name}"`));

  it('shows every part of the vector that it names', () => {
    if (example === undefined) throw new Error('the page names no vector');
    const { method, path, body, body_sha256, canonical_string, headers, private_scalar } = example;
    expect(page).toContain(`the scalar ${private_scalar};`);
    expect(page).toContain(`\`\`\`http\n${method} ${path} HTTP/1.1\n\n${body.value}\n\`\`\``);
    expect(page).toContain(`\`\`\`text\n${body_sha256}\n\`\`\``);
    expect(page).toContain(`\`\`\`text\n${canonical_string}\n\`\`\``);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    expect(page).toContain(`\`\`\`http\n${lines.join('\n')}\n\`\`\``);
  });

  it('shows the linking call of the first vector, and an answer for its public key', () => {
    const [identity] = cliIdentities.vectors;
    const [, body = ''] =
      /POST \/v1\/auth\/cli-identity HTTP\/1\.1\n[\s\S]*?\n\n(\{[\s\S]*?\})\n```/.exec(page) ?? [];
    const { label, ...proof } = JSON.parse(body);
    expect(proof).toEqual({
      challenge: identity?.challenge,
      pubkey: identity?.public_key,
      signature: identity?.signature,
    });
    const [, answer = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    expect(JSON.parse(answer)).toMatchObject({
      success: true,
      data: { pubkey: identity?.public_key, label },
    });
  });

  it('equals the output of the signer, byte for byte', () => {
    if (example === undefined) throw new Error('the page names no vector');
    const signed = signRequest({
      method: example.method,
      path: example.path,
      body: example.body.value,
      nowMs: Number(example.timestamp),
      nonce: String(example.nonce),
      privateKey: privateKeyOfScalar(example.private_scalar),
    });
    expect(signed).toEqual(example.headers);
  });
});

const VERIFIERS = [
  { name: 'noble', verify: async (received: ReceivedWebhook) => verifyWebhook(received) },
  { name: 'Web Crypto', verify: verifyByWebCrypto },
];

describe('the webhook vectors', () => {
  it('cover every refusal code and have unique names', () => {
    const expected = ['accepted', 'malformed_header', 'too_old', 'too_new', 'signature_mismatch'];
    expect(new Set(webhooks.vectors.map((vector) => vector.expected))).toEqual(new Set(expected));
    const names = webhooks.vectors.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(VERIFIERS)('verifyWebhook with $name', ({ verify }) => {
  it.each(webhooks.vectors)('returns for the vector "$name": $expected', async (vector) => {
    const verdict = verify({
      payload: bodyOf(vector),
      headers: vector.headers,
      secret: vector.secret,
      nowMs: webhooks.now_seconds * 1000,
      toleranceSeconds: webhooks.tolerance_seconds,
    });
    if (vector.expected === 'accepted') {
      expect((await verdict).id).toBe(vector.headers['webhook-id']);
    } else {
      const refusal = await verdict.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(WebhookVerificationError);
      expect((refusal as WebhookVerificationError).code).toBe(vector.expected);
    }
  });
});
