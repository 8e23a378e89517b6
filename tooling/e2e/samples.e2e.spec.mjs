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

/** How long a sample may wait for the effects of an earlier sample. */
const timeoutMs = 30_000;

/** SDK methods whose names differ from the operation id. */
const METHODS = {
  'emergencyStop.run': 'emergencyStop',
  'notifications.read': 'notifications.markRead',
  'notifications.readAll': 'notifications.markAllRead',
  'settings.put': 'settings.set',
};

/** @typedef {import('@trading-automation/contracts/samples').Sample} Sample */

/** Calls the SDK method of an operation with the values of a sample. */
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

/** Runs the samples in order against the product. Stores their responses for samples that refer to them. */
class SampleRunner {
  /** @type {Map<string, any>} */
  responses = new Map();
  /** @type {Map<string, Sample>} */
  sources = new Map();
  /** True once the first key pair is linked. From then on, requests are signed, except those to public operations. */
  hasAccount = false;

  constructor(product, fixtures, privateKey) {
    this.product = product;
    this.fixtures = fixtures;
    // Decimals as strings, so that responses can be compared with requests to the last digit.
    const options = /** @type {const} */ ({ baseURL: product.restUrl, decimals: 'string', maxRetries: 0 });
    this.anonymous = new Client(options);
    this.owner = new Client({ ...options, signer: createSigner(privateKey) });
  }

  async perform(/** @type {Sample} */ sample) {
    const { operation } = sample;
    const response = await this.send(sample);
    if (operation.id === 'auth.cliIdentity') this.hasAccount = true;
    if (sample.as !== undefined) {
      this.sources.set(sample.as, sample);
      this.responses.set(sample.as, response.data);
    }
    return response;
  }

  async send(/** @type {Sample} */ { operation, params = {}, query = {}, body }) {
    const values = await this.valuesOf({ params, query, body });
    const input = resolve({ params, query, body }, (reference) => values.get(reference));
    const isSigned = this.hasAccount && operation.access !== 'PUBLIC';
    const called = call(isSigned ? this.owner : this.anonymous, operation, input);
    if (operation.stream === true) return { status: operation.status, data: await firstOf(called) };
    const { data, ...outcome } = await outcomeOf(called);
    return { ...outcome, data: operation.list === undefined ? data : data?.data };
  }

  async valuesOf(/** @type {unknown} */ input) {
    /** @type {string[]} */
    const references = [];
    resolve(input, (reference) => references.push(reference));
    const values = new Map();
    for (const reference of references) values.set(reference, await this.valueOf(reference));
    return values;
  }

  /**
   * Returns the value to which a reference leads. Repeats the referenced sample until its response contains the value,
   * because fills, notifications and failed deliveries take time.
   */
  async valueOf(/** @type {string} */ reference) {
    const { name, path } = /** @type {{ name: string, path: string[] }} */ (referenceIn(reference));
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const root = this.responses.get(name) ?? this.fixtures[name];
      const value = path.reduce((node, key) => node?.[key], root);
      if (value !== undefined) return typeof value === 'function' ? value(this) : value;
      if (performance.now() > deadline)
        throw new Error(`${reference} did not get a value: ${JSON.stringify(root)}`);
      await wait(200);
      const source = this.sources.get(name);
      if (source !== undefined) await this.perform(source);
    }
  }
}

/** Returns the first event of a stream and closes it. */
async function firstOf(stream) {
  for await (const event of stream) return event;
  throw new Error('the stream ended before its first event');
}

/** Returns the fixture of a key pair. It signs the challenge in the stored response of the sample `challengeName`. */
const keyPair = (/** @type {Uint8Array} */ privateKey, /** @type {string} */ challengeName) => ({
  pubkey: publicKeyOf(privateKey),
  signature: (/** @type {SampleRunner} */ runner) =>
    signMessage(
      identityMessage(runner.responses.get(challengeName).challenge, publicKeyOf(privateKey)),
      privateKey,
    ),
});

/** Returns the code of the link in the newest mail. No mail server runs here, so the mail is still queued. */
async function mailedCode(/** @type {string} */ databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client
    .query('SELECT body FROM mails ORDER BY id DESC LIMIT 1')
    .finally(() => client.end());
  return new URL(/** @type {string} */ (/https?:\S+/.exec(rows[0].body)?.[0])).searchParams.get('code');
}

describe('the samples of the API reference', () => {
  /** @type {SampleRunner} */
  let runner;
  /** @type {(() => unknown)[]} */
  const cleanup = [];

  beforeAll(async () => {
    const product = await startProduct({
      extraEnv: { 'trading-worker': { REWARD_SIGN_UP_AMOUNT: '25' } },
    });
    cleanup.push(() => product.stop());
    const receiver = await startReceiver();
    cleanup.push(() => receiver.stop());
    const failingReceiver = await startReceiver({ statusFor: () => 500 });
    cleanup.push(() => failingReceiver.stop());
    const privateKey = keyOf('samples');
    const fixtures = {
      paper: await openPaperAccount(product.paperExchangeUrl),
      further_paper: await openPaperAccount(product.paperExchangeUrl),
      key_pair: keyPair(privateKey, 'challenge'),
      further_key_pair: keyPair(keyOf('samples, further'), 'further_challenge'),
      session_key_pair: keyPair(keyOf('samples, session'), 'session_challenge'),
      device_key_pair: keyPair(keyOf('samples, device'), 'device_challenge'),
      refused_key_pair: keyPair(keyOf('samples, refused'), 'refused_challenge'),
      mail: { code: () => mailedCode(product.databaseUrl) },
      receiver: { url: receiver.url },
      failing_receiver: { url: failingReceiver.url },
    };
    runner = new SampleRunner(product, fixtures, privateKey);
  }, 120_000);

  afterAll(async () => {
    for (const step of cleanup.reverse()) await step();
  }, 60_000);

  it('cover every operation, and get responses that match the contract', async () => {
    const covered = new Set();
    for (const sample of SAMPLES) {
      const { operation, title } = sample;
      const { status, code, data } = await runner.perform(sample);
      const statuses = [operation.status, operation.createdStatus].filter(Boolean);
      expect([operation.id, title, code, statuses]).toEqual([
        operation.id,
        title,
        undefined,
        expect.arrayContaining([status]),
      ]);
      const items = operation.list === undefined ? [data] : data;
      for (const item of items)
        expect([operation.id, operation.response.safeParse(item).error?.issues]).toEqual([
          operation.id,
          undefined,
        ]);
      covered.add(operation.id);
    }
    expect(OPERATIONS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
  }, 240_000);
});
