/**
 * Runs the programs of docs/guides against the vectors: in JavaScript, and in each other language whose runtime is on this
 * machine. The test titles say which ones ran.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openNodeCryptoEngine } from '../src/engines/node-crypto.js';
import { InMemoryReplayWindow, verifyRequest } from '../src/index.js';
import { type Command, LANGUAGES, type Programs, removePrograms, runProgram } from './languages.js';
import { acceptedRequests, bodyOf, nodeCryptoVerifies, type RequestVector, webhooks } from './vectors.js';

const HALF_N = BigInt('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');
const PRIVATE_KEY = '2'.padStart(64, '0');

const available = LANGUAGES.flatMap(({ programs, ...language }) =>
  programs ? [{ ...language, programs }] : [],
);
const signing = available.flatMap(({ programs: { sign }, ...language }) =>
  sign ? [{ ...language, sign }] : [],
);
const withoutLibrary = available.filter(({ programs }) => programs.sign === undefined);
const namesOf = (languages: readonly { readonly name: string }[]) =>
  languages.map(({ name }) => name).join(', ') || 'none';

afterAll(removePrograms);

describe('the programs of the guides', () => {
  it(`run in ${namesOf(available)}; runtime missing: ${namesOf(LANGUAGES.filter(({ programs }) => !programs))}`, () => {
    expect(LANGUAGES).toHaveLength(5);
    expect(namesOf(available)).toContain('JavaScript');
  });

  it(`sign requests in ${namesOf(signing)}; only build canonical strings, because a secp256k1 library is missing: ${namesOf(withoutLibrary)}`, () => {
    expect(namesOf(signing)).toContain('JavaScript');
  });

  it('are all shown in the guides, and up to date', () => {
    const script = fileURLToPath(new URL('../scripts/embed-examples.mjs', import.meta.url));
    expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toContain('up to date');
  });
});

/** The error message for each refusal code, in every language. */
const MESSAGES: Readonly<Record<string, string>> = {
  malformed_header: 'a webhook header is missing or malformed',
  too_old: 'the timestamp is more than 300 s from this clock',
  too_new: 'the timestamp is more than 300 s from this clock',
  signature_mismatch: 'no signature matches',
};

describe.each(available)('the program that verifies a webhook in $name', ({ programs }) => {
  it.each(webhooks.vectors)('returns for the vector "$name": $expected', (vector) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const { status, stdout, stderr } = runProgram(programs.verify, {
      args: [...names.map((name) => vector.headers[name] ?? ''), String(webhooks.now_seconds)],
      body: bodyOf(vector),
      env: { SVC_WEBHOOK_SECRET: vector.secret },
    });
    const result = { status, stdout: stdout.trim(), stderr: stderr.trim() };
    const message = MESSAGES[vector.expected];
    expect(result).toEqual(
      message === undefined
        ? { status: 0, stdout: 'genuine', stderr: '' }
        : { status: 1, stdout: '', stderr: message },
    );
  });

  it('uses the system clock by default, and rejects an old webhook', () => {
    const [vector] = webhooks.vectors;
    const { status, stderr } = runProgram(programs.verify, {
      args: Object.values(vector!.headers),
      body: bodyOf(vector!),
      env: { SVC_WEBHOOK_SECRET: vector!.secret },
    });
    expect([status, stderr.trim()]).toEqual([1, MESSAGES.too_old]);
  });
});

function signedBy(
  sign: Command,
  vector: RequestVector,
  timestampAndNonce: readonly string[],
): Record<string, string> {
  const { status, stdout, stderr } = runProgram(sign, {
    args: [vector.method, vector.path, ...timestampAndNonce],
    body: bodyOf(vector),
    env: { SVC_PRIVATE_KEY: vector.private_scalar.padStart(64, '0') },
  });
  expect([status, stderr]).toEqual([0, '']);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  );
}

describe.each(signing)('the program that signs a request in $name', ({ sign, isDeterministic }) => {
  it.each(acceptedRequests.vectors)('prints the headers of the vector "$name", with a low s', (vector) => {
    const headers = signedBy(sign, vector, [String(vector.timestamp), String(vector.nonce)]);
    const signature = String(headers['x-svc-sig']);
    const isHighSTwin = vector.name.includes('high-s');
    const expected = isDeterministic && !isHighSTwin ? vector.headers['x-svc-sig'] : signature;
    expect(headers).toEqual({ ...vector.headers, 'x-svc-sig': expected });
    expect(
      nodeCryptoVerifies(String(vector.canonical_string), signature, String(headers['x-svc-pubkey'])),
    ).toBe(true);
    expect(BigInt(`0x${signature.slice(64)}`) <= HALF_N).toBe(true);
  });

  it('uses the current time and a new nonce by default, and the server accepts both', async () => {
    const vector: RequestVector = { ...acceptedRequests.vectors[0]!, private_scalar: PRIVATE_KEY };
    const replayWindow = new InMemoryReplayWindow();
    for (let attempt = 0; attempt < 2; attempt++) {
      const { method, path } = vector;
      const received = { method, path, headers: signedBy(sign, vector, []), body: bodyOf(vector) };
      const verdict = await verifyRequest(received, {
        engine: openNodeCryptoEngine(),
        replayWindow,
        findPublicKey: async (publicKey) => ({ publicKey }),
      });
      expect(verdict.kind).toBe('accepted');
    }
  });
});

const canonicalOnly: readonly { name: string; programs: Programs }[] = withoutLibrary;
if (canonicalOnly.length > 0) {
  describe.each(canonicalOnly)('the canonical string in $name', ({ programs }) => {
    it.each(acceptedRequests.vectors)('equals that of the vector "$name"', (vector) => {
      const { stdout } = runProgram(programs.canonical, {
        args: [vector.method, vector.path, String(vector.timestamp), String(vector.nonce)],
        body: bodyOf(vector),
      });
      expect(stdout).toBe(vector.canonical_string);
    });
  });
}
