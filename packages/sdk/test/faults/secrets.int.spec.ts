import { inspect } from 'node:util';
import { Client } from '../../src/index.js';
import { createSigner } from '../../src/signer/index.js';
import { clientOf, privateKeyOf, signer } from './clients.js';
import { API_KEY, errorOutcome, FaultyApi, rejectsWith, reset, respondsWith } from './faulty-api.js';

const privateKeyBytes = privateKeyOf('signer of the fault tests');
const PRIVATE_KEY_HEX = Buffer.from(privateKeyBytes).toString('hex');

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

/** Returns a value as Node's inspect, JSON.stringify and String print it, with the message and stack of an error. */
function printed(value: unknown): string {
  const nested = inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
  const { message = '', stack = '' } = Object(value) as Error;
  // Removes the spaces that align numbers.
  return [nested, JSON.stringify(value), String(value), message, stack].join('\n').replace(/ +|\n */g, '');
}

const knownSecrets = () => [
  API_KEY,
  API_KEY.slice('svc_test_'.length),
  PRIVATE_KEY_HEX,
  privateKeyBytes.slice(0, 6).join(','),
  ...api.requests.flatMap(({ headers }) => headers['x-svc-sig'] ?? []),
];

describe('no key, secret or signature is printed', () => {
  it.each(['an API key', 'a signer'])(
    'as part of a client that has %s, before and after its first request',
    async (kind) => {
      const credential = kind === 'a signer' ? { signer } : { apiKey: API_KEY };
      const client = new Client({
        baseURL: api.origin,
        ...credential,
        defaultHeaders: { authorization: 'mine-alone' },
      });
      const before = printed(client);
      await client.me.get();
      const output = before + printed(client);
      for (const secret of [...knownSecrets(), 'mine-alone']) expect(output).not.toContain(secret);
    },
  );

  it('as part of a signer', () => {
    const output = printed(createSigner(PRIVATE_KEY_HEX));
    for (const secret of knownSecrets()) expect(output).not.toContain(secret);
  });

  it.each([
    ['an API error', () => respondsWith(errorOutcome(401, 'invalid_api_key'))],
    ['a server error', () => rejectsWith(500, 'internal_error')],
    ['a connection reset', () => reset],
    ['a redirect', () => respondsWith({ status: 302, headers: { location: '/' }, body: '' })],
    [
      'an HTML page',
      () => respondsWith({ status: 200, headers: { 'content-type': 'text/html' }, body: 'x' }),
    ],
  ])('as part of the error of %s or of the log', async (_, fault) => {
    const logged: unknown[] = [];
    const record = (...values: unknown[]) => logged.push(values);
    const logger = { debug: record, info: record, warn: record, error: record };
    for (const options of [{}, { signer }]) {
      api.faults.push(fault(), fault());
      const error = await clientOf(api, { ...options, logger, logLevel: 'debug', maxRetries: 1 })
        .trades.list({ status: 'FILLED' })
        .then(
          () => undefined,
          (thrown) => thrown,
        );
      expect(error).toBeInstanceOf(Error);
      const output = printed(error) + printed(logged);
      for (const secret of knownSecrets()) expect(output).not.toContain(secret);
      expect(printed(logged)).not.toContain('FILLED');
    }
  });

  it.each(['svc_test_with space', 'svc_test_é', 'svc_test_\u0000', 'svc_test_line\nx-other: 1'])(
    'as part of the error of an invalid API key: %j',
    (apiKey) => {
      expect(() => new Client({ baseURL: api.origin, apiKey })).toThrow(
        new TypeError(
          'apiKey is empty or contains characters that no API key has. Check it for spaces and line breaks.',
        ),
      );
    },
  );

  it('as part of the error of an invalid private key', () => {
    for (const key of [`${PRIVATE_KEY_HEX}0`, PRIVATE_KEY_HEX.slice(1), '0'.repeat(64), 'f'.repeat(64)]) {
      let error: unknown;
      try {
        createSigner(key);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(Error);
      expect(printed(error)).not.toContain(key.slice(0, 20));
    }
  });
});
