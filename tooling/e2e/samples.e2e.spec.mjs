import { setTimeout as wait } from 'node:timers/promises';
import { OPERATIONS } from '@trading-automation/contracts';
import { referenceIn, resolve, SAMPLES } from '@trading-automation/contracts/samples';
import { identityMessage, publicKeyOf, signMessage } from '@trading-automation/signed-request';
import pg from 'pg';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { startReceiver } from '../launch/first-trade/receiver.mjs';
import { openPaperAccount } from '../launch/first-trade/scenario.mjs';
import { Client, createSigner } from '../launch/sdk.mjs';
import { keyOf } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** How long a sample may wait for what an earlier one set off. */
const patienceMs = 30_000;

/** Methods of the SDK that are named otherwise than their operation. */
const METHODS = {
  'emergencyStop.run': 'emergencyStop',
  'notifications.read': 'notifications.markRead',
  'notifications.readAll': 'notifications.markAllRead',
  'settings.put': 'settings.set',
};

/** @typedef {import('@trading-automation/contracts/samples').Sample} Sample */

/** What an operation's method of the SDK gives for what a sample sends. */
function call(client, operation, { params, query, body }) {
  const place = METHODS[operation.id] ?? operation.id.replace(/^deadLetters/, 'webhooks.deadLetters');
  const names = place.split('.');
  const owner = names.slice(0, -1).reduce((node, name) => node[name], client);
  const ids = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => params[name]);
  const rest = [
    ...(operation.body === undefined ? [] : [operation.id === 'settings.put' ? body.value : body]),
    ...(operation.query === undefined ? [] : [query]),
  ];
  return owner[names.at(-1)](...ids, ...rest);
}

/** The samples against the product, in order; what they have answered is kept for those that refer to it. */
class Run {
  /** @type {Map<string, any>} */
  answered = new Map();
  /** @type {Map<string, Sample>} */
  sources = new Map();
  /** The account exists from the first linking on; then every request is signed. */
  hasAccount = false;

  constructor(product, surroundings, privateKey) {
    this.product = product;
    this.surroundings = surroundings;
    // As text: what is answered is compared with what was sent, to the last digit.
    const options = /** @type {const} */ ({ baseURL: product.restUrl, decimals: 'string', maxRetries: 0 });
    this.anybody = new Client(options);
    this.owner = new Client({ ...options, signer: createSigner(privateKey) });
  }

  async perform(/** @type {Sample} */ sample) {
    const { operation } = sample;
    const answer = await this.send(sample);
    if (operation.id === 'auth.cliIdentity') this.hasAccount = true;
    if (sample.as !== undefined) {
      this.sources.set(sample.as, sample);
      this.answered.set(sample.as, answer.data);
    }
    return answer;
  }

  async send(/** @type {Sample} */ { operation, params = {}, query = {}, body }) {
    const values = await this.valuesOf({ params, query, body });
    const given = resolve({ params, query, body }, (reference) => values.get(reference));
    const isSigned = this.hasAccount && operation.access !== 'PUBLIC';
    const called = call(isSigned ? this.owner : this.anybody, operation, given);
    if (operation.stream === true) return { status: operation.status, data: await firstOf(called) };
    const { data, ...outcome } = await outcomeOf(called);
    return { ...outcome, data: operation.list === undefined ? data : data?.data };
  }

  async valuesOf(/** @type {unknown} */ given) {
    /** @type {string[]} */
    const references = [];
    resolve(given, (reference) => references.push(reference));
    const values = new Map();
    for (const reference of references) values.set(reference, await this.valueOf(reference));
    return values;
  }

  /** What a list does not hold yet is asked for again: fills, notifications and failed deliveries take their time. */
  async valueOf(/** @type {string} */ reference) {
    const { name, path } = /** @type {{ name: string, path: string[] }} */ (referenceIn(reference));
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const root = this.answered.get(name) ?? this.surroundings[name];
      const value = path.reduce((node, key) => node?.[key], root);
      if (value !== undefined) return typeof value === 'function' ? value(this) : value;
      if (performance.now() > deadline) throw new Error(`${reference} never came: ${JSON.stringify(root)}`);
      await wait(200);
      const source = this.sources.get(name);
      if (source !== undefined) await this.perform(source);
    }
  }
}

/** The first event of a stream, which is then left. */
async function firstOf(stream) {
  for await (const event of stream) return event;
  throw new Error('the stream ended before an event came');
}

/** A key pair that proves itself over the challenge that a sample drew. */
const keyPair = (/** @type {Uint8Array} */ privateKey, /** @type {string} */ challenge) => ({
  pubkey: publicKeyOf(privateKey),
  signature: (/** @type {Run} */ run) =>
    signMessage(identityMessage(run.answered.get(challenge).challenge, publicKeyOf(privateKey)), privateKey),
});

/** The code of the link that was mailed last: there is no mail server here, so the mail waits where it was queued. */
async function mailedCode(/** @type {string} */ databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client
    .query('SELECT body FROM mails ORDER BY id DESC LIMIT 1')
    .finally(() => client.end());
  return new URL(/** @type {string} */ (/https?:\S+/.exec(rows[0].body)?.[0])).searchParams.get('code');
}

describe('the samples of the reference, run in order against the product', () => {
  /** @type {Run} */
  let run;
  /** @type {(() => unknown)[]} */
  const undo = [];

  beforeAll(async () => {
    const product = await startProduct({ more: { 'trading-worker': { REWARD_SIGN_UP_AMOUNT: '25' } } });
    undo.push(() => product.stop());
    const receiver = await startReceiver();
    undo.push(() => receiver.stop());
    const failing = await startReceiver({ answer: () => 500 });
    undo.push(() => failing.stop());
    const privateKey = keyOf('samples');
    const surroundings = {
      paper: await openPaperAccount(product.paperExchangeUrl),
      further_paper: await openPaperAccount(product.paperExchangeUrl),
      key_pair: keyPair(privateKey, 'challenge'),
      further_key_pair: keyPair(keyOf('samples, further'), 'further_challenge'),
      mail: { code: () => mailedCode(product.databaseUrl) },
      receiver: { url: receiver.url },
      failing_receiver: { url: failing.url },
    };
    run = new Run(product, surroundings, privateKey);
  }, 120_000);

  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  }, 60_000);

  it('answer as the contract says, every operation of it', async () => {
    const answeredFor = new Set();
    for (const sample of SAMPLES) {
      const { operation, title } = sample;
      const { status, code, data } = await run.perform(sample);
      expect([operation.id, title, status, code]).toEqual([operation.id, title, operation.status, undefined]);
      const items = operation.list === undefined ? [data] : data;
      for (const item of items)
        expect([operation.id, operation.response.safeParse(item).error?.issues]).toEqual([
          operation.id,
          undefined,
        ]);
      answeredFor.add(operation.id);
    }
    expect(OPERATIONS.map(({ id }) => id).filter((id) => !answeredFor.has(id))).toEqual([]);
  }, 240_000);
});
