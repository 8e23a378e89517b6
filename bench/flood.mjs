/**
 * Measures how much clients that send bad requests slow down other clients, at the published rate limits.
 *
 *   pnpm turbo run build && node bench/flood.mjs
 *
 * 1. 50 good users together send 200 requests a second for their trades, from one address. They are measured alone,
 *    during a flood of up to 2,000 requests a second with an unregistered public key (from another address), and while
 *    500 connections send their bodies at one byte a second.
 * 2. Rounds are interleaved; each ratio is the median of the ratios of all rounds. The flood is sent by a separate process
 *    on the same cores, so the cost of sending is included.
 * 3. The run compares how long the API takes to reject a revoked key and an unknown key, because a difference would
 *    show attackers which keys once existed.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { publicKeyOf, signRequest } from '@trading-automation/signed-request';
import autocannon from 'autocannon';
import { createClient } from '../tooling/launch/first-trade/client.mjs';
import { openUsers, writeTrades } from './rest-data.mjs';
import { close, startEnvironment } from './rest-environment.mjs';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';

const ROUNDS = 5;
const ROUND_SECONDS = 5;
const USERS = 50;
const GOOD_PER_SECOND = 200;
const FLOOD_PER_SECOND = 2_000;
const SLOW_SOCKETS = 500;
const REJECTIONS = 2_000;
const RATIO_MAX = 2;
/** The maximum relative difference between the times to reject a revoked and an unknown key. */
const REJECTION_DIFFERENCE_MAX = 0.1;
const GOOD_ADDRESS = '192.0.2.1';
const BAD_ADDRESS = '192.0.2.66';

/** @returns {Promise<number>} the 99th percentile of the response times of good requests */
async function goodP99Ms(apiUrl, users) {
  const responseTimesMs = [];
  let next = 0;
  const run = autocannon({
    url: apiUrl,
    connections: 10,
    duration: ROUND_SECONDS,
    overallRate: GOOD_PER_SECOND,
    setupClient: (client) =>
      client.setRequests(
        users.map(() => ({
          path: '/v1/trades',
          headers: { 'x-api-key': users[next++ % users.length].apiKey, 'x-forwarded-for': GOOD_ADDRESS },
        })),
      ),
  });
  run.on('response', (_client, _status, _bytes, responseTimeMs) => responseTimesMs.push(responseTimeMs));
  const { non2xx, errors } = await run;
  if (non2xx + errors > 0) throw new Error(`${non2xx} good requests were rejected, ${errors} failed`);
  return quantile(responseTimesMs, 0.99);
}

/** Sends well-formed requests whose public key belongs to no account. The signature is a constant. */
function flood(apiUrl) {
  const privateKey = randomBytes(32);
  const { 'x-svc-sig': _, ...headers } = signRequest({ method: 'GET', path: '/v1/trades', privateKey });
  const forged = { ...headers, 'x-svc-pubkey': publicKeyOf(privateKey), 'x-svc-sig': '1'.repeat(128) };
  return autocannon({
    url: `${apiUrl}/v1/trades`,
    connections: 20,
    duration: 3_600,
    overallRate: FLOOD_PER_SECOND,
    headers: { ...forged, 'x-forwarded-for': BAD_ADDRESS },
  });
}

async function startFlood(apiUrl) {
  const child = fork(fileURLToPath(import.meta.url), ['flood', apiUrl], { stdio: 'inherit' });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return () => {
    child.kill();
    return new Promise((resolve) => child.once('exit', resolve));
  };
}

/** Opens connections that announce a body and send it at one byte a second. */
async function startSlow(apiUrl) {
  const { hostname, port } = new URL(apiUrl);
  const head = `POST /v1/trades HTTP/1.1\r\nhost: api\r\ncontent-type: application/json\r\ncontent-length: 1000\r\nx-forwarded-for: ${BAD_ADDRESS}\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from(
      { length: SLOW_SOCKETS },
      () =>
        new Promise((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => resolve(socket));
          socket.once('error', reject);
          socket.write(head);
        }),
    ),
  );
  for (const socket of sockets) socket.on('error', () => undefined);
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ');
  }, 1_000);
  return () => {
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
  };
}

/** Returns the median times to reject both keys. Requests alternate and use many addresses, so that no limit is reached. */
async function rejectionsMs(apiUrl, { privateKey }) {
  const revoked = await revokedKey(apiUrl, privateKey);
  const responseTimesMs = { revoked: [], unknown: [] };
  for (let i = 0; i < REJECTIONS; i++) {
    for (const [kind, key] of Object.entries({ revoked, unknown: unknownApiKey() })) {
      const headers = { 'x-api-key': key, 'x-forwarded-for': `198.51.100.${i % 250}` };
      const startedAt = performance.now();
      const response = await fetch(`${apiUrl}/v1/me`, { headers });
      await response.arrayBuffer();
      responseTimesMs[kind].push(performance.now() - startedAt);
      if (response.status !== 401) throw new Error(`a request with the ${kind} key got ${response.status}`);
    }
  }
  return { revoked: quantile(responseTimesMs.revoked, 0.5), unknown: quantile(responseTimesMs.unknown, 0.5) };
}

async function revokedKey(apiUrl, privateKey) {
  const api = createClient({ restUrl: apiUrl, privateKey });
  const { id, key } = await api.apiKeys.create({ name: 'revoked' });
  await api.apiKeys.revoke(id);
  return key;
}

/** Returns an unknown key with a valid checksum, as an attacker would guess it. */
function unknownApiKey() {
  const body = `svc_test_${'0'.repeat(11)}${randomBytes(16).toString('hex')}`;
  let [checksum, rest] = ['', crc32(body)];
  for (; checksum.length < 6; rest = Math.floor(rest / 62)) checksum = BASE62[rest % 62] + checksum;
  return body + checksum;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Measures the good users alone, during the flood, and during the slow connections, in each round. */
async function measureRounds(apiUrl, users) {
  const rounds = { alone: [], flood: [], slow: [] };
  const starters = { alone: async () => async () => undefined, flood: startFlood, slow: startSlow };
  await goodP99Ms(apiUrl, users);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, start] of Object.entries(starters)) {
      const end = await start(apiUrl);
      rounds[name].push(await goodP99Ms(apiUrl, users));
      await end();
    }
  }
  return rounds;
}

function report(rounds, rejections) {
  const [cpu] = cpus();
  console.log(`${cpu?.model.trim()} x ${cpus().length}, Node ${process.version}`);
  console.log(
    `p99 of ${GOOD_PER_SECOND} good requests a second, at the published limits; median of ${ROUNDS} interleaved rounds of ${ROUND_SECONDS} s\n`,
  );
  const names = {
    alone: 'alone',
    flood: `${FLOOD_PER_SECOND.toLocaleString('en-US')} requests a second without an account`,
    slow: `${SLOW_SOCKETS} bodies, a byte a second`,
  };
  for (const [name, p99s] of Object.entries(rounds)) {
    const ratio = quantile(
      p99s.map((p99, round) => p99 / rounds.alone[round]),
      0.5,
    );
    const verdict = name === 'alone' ? '' : `(limit ${RATIO_MAX}: ${ratio <= RATIO_MAX ? 'kept' : 'missed'})`;
    console.log(
      `${names[name].padEnd(34)} ${quantile(p99s, 0.5).toFixed(1).padStart(7)} ms   ${ratio.toFixed(2)} of alone ${verdict}`.trimEnd(),
    );
  }
  const difference = Math.abs(rejections.revoked / rejections.unknown - 1);
  console.log(
    `\nrejection of a revoked key ${rejections.revoked.toFixed(3)} ms, of an unknown key ${rejections.unknown.toFixed(3)} ms: ${(difference * 100).toFixed(1)} % apart (limit ${REJECTION_DIFFERENCE_MAX * 100} %: ${difference <= REJECTION_DIFFERENCE_MAX ? 'kept' : 'missed'})`,
  );
}

async function measure() {
  const { database, apiUrl } = await startEnvironment({ TRUSTED_PROXIES: '127.0.0.1' });
  const users = await openUsers({ restUrl: apiUrl, database, count: USERS });
  await writeTrades({ database, users, count: 20_000 });
  const rounds = await measureRounds(apiUrl, users);
  report(rounds, await rejectionsMs(apiUrl, users[0]));
}

if (process.argv[2] === 'flood') {
  process.once('disconnect', () => process.exit());
  await flood(process.argv[3]);
} else {
  await runAndClose(measure, close);
}
