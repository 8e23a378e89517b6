import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { openAccount } from '../../launch/first-trade/client.mjs';
import { until } from '../../launch/first-trade/scenario.mjs';
import { Client, createSigner, signChallenge } from '../../launch/sdk.mjs';
import { openTrader } from '../accounts.mjs';
import { PAYLOADS, SYMBOL, TEXTS } from './payloads.mjs';

/** @typedef {Awaited<ReturnType<typeof openTrader>>} Trader */
/** @typedef {import('../product.mjs').Product} Product */

/** Returns an address on Ethereum, in lower case. @param {string} label */
const addressOf = (label) => `0x${createHash('sha256').update(label).digest('hex').slice(0, 40)}`;

/**
 * Starts a receiver of webhooks that answers with attacks: in the body, the headers and the reason of the status.
 */
export async function startHostileReceiver() {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(500, PAYLOADS.script, {
      'content-type': 'text/html',
      'x-answer': String(PAYLOADS.image),
      location: String(PAYLOADS.link),
      'set-cookie': `session=${PAYLOADS.svg}`,
    });
    response.end(TEXTS.join('\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close().closeAllConnections() };
}

/**
 * Writes every payload into every field of `WRITTEN` through the API.
 *
 * @param {Product} product
 * @param {Trader} trader whose account gets the records
 * @param {{ receiverUrl: string, strategyId: string }} places `strategyId`: the strategy that the copiers follow
 */
export async function writeFields(product, trader, { receiverUrl, strategyId }) {
  const { api, account } = trader;
  const webhook = await api.webhooks.create({
    url: `${receiverUrl}/?q=${SYMBOL}`,
    events: ['*'],
    description: TEXTS.join(' '),
  });
  for (const text of TEXTS) {
    await api.apiKeys.create({ name: text, permissions: ['READ'] });
    const { id } = await api.webhooks.create({
      url: `${receiverUrl}/?q=${SYMBOL}`,
      events: ['reward.granted'],
      description: text,
    });
    await api.webhooks.update(id, { is_active: false });
    await api.withdrawalAddresses.create({ address: addressOf(text), label: text });
    await api.strategies.create({
      name: text,
      description: TEXTS.join(' '),
      exchange_account_id: account.id,
    });
  }
  await api.settings.set('hostile', { [String(PAYLOADS.image)]: TEXTS });
  const [copier] = await writeCopiers(api, { accountId: account.id, strategyId });
  await api.exchanges.update(account.id, { account_name: PAYLOADS.image });
  const { key } = await api.apiKeys.create({ name: 'linker', permissions: ['ADMIN'] });
  for (const label of TEXTS)
    await openAccount({ restUrl: product.restUrl, privateKey: randomBytes(32), label, apiKey: key });
  const sessions = await writeSessions(product, key);
  await sendHostileRequests(product, key);
  return { webhook, copier, ...sessions };
}

/** @param {Trader['api']} api @param {{ accountId: string, strategyId: string }} places */
async function writeCopiers(api, { accountId, strategyId }) {
  const copiers = [];
  for (const name of TEXTS)
    copiers.push(
      await api.copiers.create({
        name,
        strategy_id: strategyId,
        exchange_account_id: accountId,
        sizing: { mode: 'FIXED_QUOTE', value: 100 },
        limits: { allowed_pairs: [SYMBOL, 'BTC/USDT'], blocked_pairs: [`${SYMBOL}x`] },
      }),
    );
  return copiers;
}

/** Opens a session, and asks for another one by code, both with hostile names. @param {Product} product @param {string} apiKey */
async function writeSessions({ restUrl }, apiKey) {
  const admin = new Client({ baseURL: restUrl, apiKey });
  for (const name of TEXTS) {
    const { challenge } = await admin.auth.cliChallenge();
    const proof = await signChallenge(challenge, createSigner(randomBytes(32)));
    await admin.browserSessions.create({ ...proof, client_name: name });
  }
  const anonymous = new Client({ baseURL: restUrl, apiKey: null });
  const { challenge } = await anonymous.auth.cliChallenge();
  const proof = await signChallenge(challenge, createSigner(randomBytes(32)));
  const { user_code } = await anonymous.deviceAuthorizations.create({
    ...proof,
    permissions: ['READ'],
    client_name: String(PAYLOADS.image),
  });
  return { userCode: user_code };
}

/** Sends requests whose paths, queries and headers are attacks, for the request log. @param {Product} product @param {string} apiKey */
async function sendHostileRequests({ restUrl }, apiKey) {
  const { hostname, port } = new URL(restUrl);
  const markup = encodeURIComponent(String(PAYLOADS.image));
  for (const path of [
    `/v1/trades?status=${markup}`,
    `/v1/trades/${markup}`,
    `/v1/${markup}`,
    `/v1/me?${markup}=1`,
  ]) {
    const headers = {
      'x-api-key': apiKey,
      'user-agent': String(PAYLOADS.script),
      'x-request-id': String(PAYLOADS.svg),
      'x-forwarded-for': String(PAYLOADS.svg),
    };
    const outgoing = send({ hostname, port, path, headers });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    response.resume();
    await once(response, 'end');
  }
}

/**
 * Waits until the delivery of one of these events to the hostile receiver is given up, and returns its dead letter. Which
 * event is given up first depends on the machine.
 *
 * @param {Trader['api']} api
 * @param {string} webhookId
 * @param {readonly string[]} eventIds
 */
export async function untilDead(api, webhookId, eventIds) {
  const letters = await until(
    async () => {
      const { data } = await api.webhooks.deadLetters.list(webhookId, { limit: 100 });
      return data.filter(({ event_id }) => eventIds.includes(event_id));
    },
    ({ length }) => length > 0,
  );
  return letters[0];
}
