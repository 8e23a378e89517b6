/**
 * Measures the verifications per second of each signature engine and of its library alone, in one run.
 *
 *   pnpm turbo run build --filter=@trading-automation/signed-request && node bench/verify.mjs
 *
 * Compares these on one thread, with 64 requests that 16 keys signed with low-S signatures:
 *   bare         the library alone, with inputs converted beforehand (`verify-baseline.mjs`)
 *   bare + hash  the same and the hash of the message (libsecp256k1 only)
 *   engine       `engine.verify(message, signature, publicKey)`: checks, hash, normalisation, library
 *   request      `verifyRequest`: headers, clock, key look-up in a Map, body hash, canonical string, engine, nonce
 * Rounds are interleaved, so that a slow phase of the machine affects all alike. Each figure is the median of the
 * rounds, each ratio the median of the ratios of all rounds.
 */
import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import {
  canonicalString,
  ENGINE_NAMES,
  openEngine,
  publicKeyOf,
  signRequest,
  verifyRequest,
} from '@trading-automation/signed-request';
import { bareNative, bareNativeWithHash, bareNoble, bareNodeCrypto } from './verify-baseline.mjs';

// With many short rounds, another load on the machine disturbs both sides of a ratio, or only a few ratios.
const ROUNDS = 61;
const ROUND_MS = 25;
const NATIVE_RATIO_MIN = 0.9;

const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
const sha256 = (data) => new Uint8Array(createHash('sha256').update(data).digest());

function signedSamples() {
  const privateKeys = Array.from({ length: 16 }, (_, i) => sha256(`bench key ${i}`));
  const publicKeys = privateKeys.map((privateKey) => bytesOf(publicKeyOf(privateKey)));
  return Array.from({ length: 64 }, (_, i) => {
    const line = { method: 'POST', path: `/v1/trades?i=${i}` };
    const body = Buffer.from(
      JSON.stringify({ side: 'BUY', type: 'LIMIT', price: '60000.1', amount: `0.0${i}` }),
    );
    const headers = signRequest({ ...line, body, privateKey: privateKeys[i % 16] });
    const [timestamp, nonce] = [headers['x-svc-timestamp'], headers['x-svc-nonce']];
    const message = Buffer.from(canonicalString({ ...line, timestamp, nonce, body }));
    return {
      message,
      digest: sha256(message),
      signature: bytesOf(headers['x-svc-sig']),
      publicKey: publicKeys[i % 16],
      request: { ...line, body, headers: Object.entries(headers).flat() },
    };
  });
}

/** Returns the calls per second over about ROUND_MS. Throws if a signature does not verify. */
async function ratePerSecond(call, samples) {
  const startedAt = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < ROUND_MS) {
    for (let i = 0; i < 4; i++) {
      const outcome = call(samples[count++ % samples.length]);
      if (!(outcome instanceof Promise ? await outcome : outcome))
        throw new Error('a valid sample was rejected');
    }
    elapsedMs = performance.now() - startedAt;
  }
  return (count / elapsedMs) * 1000;
}

/** Returns a function that verifies a whole request. It accepts used nonces, because the samples are repeated. */
function wholeRequest(engine, samples) {
  const users = new Map(
    samples.map(({ publicKey }) => [Buffer.from(publicKey).toString('hex'), { id: 'usr' }]),
  );
  const signedAtMs = Number(samples[0].request.headers[3]);
  const dependencies = {
    engine,
    findPublicKey: async (publicKey) => users.get(publicKey) ?? null,
    replayWindow: { claim: async () => true },
    nowMs: () => signedAtMs,
  };
  return async ({ request }) => (await verifyRequest(request, dependencies)).kind === 'accepted';
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function contestants(samples) {
  const bare = {
    libsecp256k1: await bareNative(),
    'node:crypto': await bareNodeCrypto(samples),
    noble: await bareNoble(),
  };
  const list = ENGINE_NAMES.flatMap((name) => {
    const engine = openEngine(name);
    const verify = ({ message, signature, publicKey }) => engine.verify(message, signature, publicKey);
    return [
      { name, what: 'bare', call: bare[name] },
      { name, what: 'engine', call: verify },
      { name, what: 'request', call: wholeRequest(engine, samples) },
    ];
  });
  const hashed = { name: 'libsecp256k1', what: 'bare + hash', call: await bareNativeWithHash() };
  return [list[0], hashed, ...list.slice(1)];
}

const samples = signedSamples();
const rows = (await contestants(samples)).map((row) => ({ ...row, rates: [] }));
for (const { call } of rows) await ratePerSecond(call, samples);
for (let round = 0; round < ROUNDS; round++) {
  for (const { call, rates } of rows) rates.push(await ratePerSecond(call, samples));
}

const ratioToBare = (row) => {
  const bare = rows.find(({ name, what }) => name === row.name && what === 'bare');
  return median(row.rates.map((rate, round) => rate / bare.rates[round]));
};

const [cpu] = cpus();
console.log(
  `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
);
console.log(`median of ${ROUNDS} interleaved rounds of ${ROUND_MS} ms, one thread\n`);
console.log('library        what           verify/s   of bare');
for (const row of rows) {
  const rate = Math.round(median(row.rates)).toLocaleString('en-US').padStart(8);
  console.log(`${row.name.padEnd(14)} ${row.what.padEnd(14)} ${rate}   ${ratioToBare(row).toFixed(3)}`);
}
const native = ratioToBare(rows.find(({ name, what }) => name === 'libsecp256k1' && what === 'engine'));
const isMet = native >= NATIVE_RATIO_MIN;
console.log(
  `\nengine / bare libsecp256k1: ${native.toFixed(3)} (target ${NATIVE_RATIO_MIN}: ${isMet ? 'met' : 'missed'})`,
);
