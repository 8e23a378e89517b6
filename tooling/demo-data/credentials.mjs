import { createClient, openAccount } from '../launch/first-trade/client.mjs';
import { createSigner, generatePrivateKey, signChallenge } from '../launch/sdk.mjs';
import { DAY_MS, HOUR_MS } from './market.mjs';
import { uuidOf } from './people.mjs';
import { instantOf } from './units.mjs';

/** @typedef {import('@trading-automation/sdk').Client} Api */

/** `age`, `used` and `revoked` are days before the end; `expires` are days after it. */
const API_KEYS = /** @type {const} */ ([
  { name: 'Execution server', permissions: ['READ', 'TRADE'], age: 64, used: 0.002, expires: 118, ips: true },
  { name: 'Reporting', permissions: ['READ'], age: 81, used: 0.09 },
  { name: 'Backtest notebook', permissions: ['READ'], age: 25, used: 3.2, expires: 5 },
  { name: 'Treasury', permissions: ['READ', 'WITHDRAW'], age: 41 },
  { name: 'Old CI', permissions: ['READ', 'TRADE'], age: 97, used: 20.4, revoked: 20 },
]);
const IP_ALLOWLIST = ['203.0.113.10', '198.51.100.0/24'];

const PUBLIC_KEYS = /** @type {const} */ ([
  { label: 'MacBook Pro', age: 112, used: 0.01 },
  { label: 'Trading VM', age: 60, used: 0.4 },
  { label: 'Old laptop', age: 118, used: 33, revoked: 31 },
]);

/** `hours` and `idleMinutes` are the times since the sign-in and since the last use. */
const SESSIONS = /** @type {const} */ ([
  {
    name: 'Dashboard: Chrome on macOS',
    address: '203.0.113.24',
    hours: 3,
    idleMinutes: 1,
    permissions: ['READ', 'TRADE'],
  },
  {
    name: 'Dashboard: Safari on iPhone',
    address: '198.51.100.77',
    hours: 7.5,
    idleMinutes: 9,
    permissions: ['READ'],
  },
]);

/**
 * Creates credentials of the demo user: API keys, public keys and browser sessions.
 *
 * @param {import('pg').Client} database
 * @param {{ restUrl: string, demo: Api, apiKey: string, end: number }} options
 * @returns {Promise<{ kind: string, id: string, share: number }[]>} the credentials that send requests, with their shares of
 *   the requests
 */
export async function createCredentials(database, { restUrl, demo, apiKey, end }) {
  const keys = [];
  for (const { label, age, used, ...key } of PUBLIC_KEYS) {
    const privateKey = generatePrivateKey();
    const { identity } = await openAccount({ restUrl, privateKey, label, apiKey });
    const id = uuidOf('pbk', identity.id);
    const revoked = 'revoked' in key ? instantOf(end - key.revoked * DAY_MS) : null;
    await database.query(SET_PUBLIC_KEY_TIMES, [
      id,
      instantOf(end - age * DAY_MS),
      instantOf(end - used * DAY_MS),
      revoked,
    ]);
    keys.push({ id, privateKey });
  }
  const [laptop] = keys;
  if (laptop === undefined) throw new Error('no public key was linked');
  // Another credential than the demo key, whose share of the limit of sensitive requests is small.
  const asLaptop = createClient({ restUrl, privateKey: laptop.privateKey });
  const apiKeys = await Promise.all(API_KEYS.map((key) => createApiKey(database, asLaptop, key, end)));
  const sessions = [];
  for (const session of SESSIONS) sessions.push(await openSession(database, demo, restUrl, session, end));
  return [
    { kind: 'api_key', id: apiKeys[0] ?? '', share: 0.5 },
    { kind: 'api_key', id: apiKeys[1] ?? '', share: 0.16 },
    { kind: 'public_key', id: laptop.id, share: 0.09 },
    { kind: 'browser_session', id: sessions[0] ?? '', share: 0.25 },
  ];
}

/**
 * @param {import('pg').Client} database
 * @param {Api} api
 * @param {(typeof API_KEYS)[number]} key
 * @param {number} end
 */
async function createApiKey(database, api, { name, permissions, age, ...key }, end) {
  const created = await api.apiKeys.create({
    name,
    permissions: [...permissions],
    ...('ips' in key ? { ip_allowlist: IP_ALLOWLIST } : {}),
    ...('expires' in key ? { expires_at: instantOf(end + key.expires * DAY_MS) } : {}),
  });
  const id = uuidOf('key', created.id);
  const used = 'used' in key ? instantOf(end - key.used * DAY_MS) : null;
  const revoked = 'revoked' in key ? instantOf(end - key.revoked * DAY_MS) : null;
  if (revoked !== null) await api.apiKeys.revoke(created.id);
  await database.query(SET_API_KEY_TIMES, [id, instantOf(end - age * DAY_MS), used, revoked]);
  return id;
}

/**
 * Signs in by a code, which the demo key approves.
 *
 * @param {import('pg').Client} database
 * @param {Api} demo
 * @param {string} restUrl
 * @param {(typeof SESSIONS)[number]} session
 * @param {number} end
 */
async function openSession(database, demo, restUrl, { name, permissions, address, hours, idleMinutes }, end) {
  const browser = createClient({ restUrl });
  const signer = createSigner(generatePrivateKey());
  const { challenge } = await browser.auth.cliChallenge({ pubkey: signer.publicKey });
  const proof = await signChallenge(challenge, signer);
  const asked = { ...proof, client_name: name, permissions: [...permissions] };
  const { user_code } = await browser.deviceAuthorizations.create(asked);
  const session = await demo.deviceAuthorizations.approve({ user_code, permissions: [...permissions] });
  const id = uuidOf('pbk', session.id);
  const approvedAt = end - hours * HOUR_MS;
  await database.query(SET_SESSION, [
    id,
    address,
    instantOf(approvedAt),
    instantOf(end - idleMinutes * 60_000),
    instantOf(approvedAt + 12 * HOUR_MS),
  ]);
  return id;
}

const SET_PUBLIC_KEY_TIMES = `
  UPDATE public_keys SET created_at = $2, updated_at = coalesce($4::timestamptz, $2), last_used_at = $3, revoked_at = $4
  WHERE id = $1`;

const SET_API_KEY_TIMES = `
  UPDATE api_keys SET created_at = $2, updated_at = coalesce($4::timestamptz, $2), last_used_at = $3, revoked_at = $4
  WHERE id = $1`;

const SET_SESSION = `
  UPDATE browser_sessions SET address = $2, created_at = $3, updated_at = $3, approved_at = $3, last_used_at = $4,
    expires_at = $5 WHERE id = $1`;
