import { inspect } from 'node:util';
import { Client } from '../../src/index.js';
import { createSigner } from '../../src/signer/index.js';
import { clientOf, privateKeyOf, signer } from './clients.js';
import { API_KEY, errorOutcome, FaultyApi, rejectsWith, reset, respondsWith } from './faulty-api.js';

const privateKey = privateKeyOf('signer of the fault tests');
const PRIVATE_KEY = Buffer.from(privateKey).toString('hex');

let farSide: FaultyApi;
beforeEach(async () => {
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

/** All that anybody could print of a thing: by Node, as JSON, as text, member by member. */
function printed(thing: unknown): string {
  const nested = inspect(thing, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
  const { message = '', stack = '' } = Object(thing) as Error;
  // Without the spaces that line up numbers.
  return [nested, JSON.stringify(thing), String(thing), message, stack].join('\n').replace(/ +|\n */g, '');
}

const secretsOf = () => [
  API_KEY,
  API_KEY.slice('svc_test_'.length),
  PRIVATE_KEY,
  privateKey.slice(0, 6).join(','),
  ...farSide.seen.flatMap(({ headers }) => headers['x-svc-sig'] ?? []),
];

describe('no key, secret or signature is shown', () => {
  it.each(['an API key', 'a signer'])('by a client with %s, before and after it was used', async (kind) => {
    const holder = kind === 'a signer' ? { signer } : { apiKey: API_KEY };
    const client = new Client({
      baseURL: farSide.origin,
      ...holder,
      defaultHeaders: { authorization: 'mine-alone' },
    });
    const before = printed(client);
    await client.me.get();
    const shown = before + printed(client);
    for (const secret of [...secretsOf(), 'mine-alone']) expect(shown).not.toContain(secret);
  });

  it('by a signer', () => {
    const shown = printed(createSigner(PRIVATE_KEY));
    for (const secret of secretsOf()) expect(shown).not.toContain(secret);
  });

  it.each([
    ['a refusal', () => respondsWith(errorOutcome(401, 'invalid_api_key'))],
    ['a fault', () => rejectsWith(500, 'internal_error')],
    ['a reset', () => reset],
    ['a redirect', () => respondsWith({ status: 302, headers: { location: '/' }, body: '' })],
    ['a page', () => respondsWith({ status: 200, headers: { 'content-type': 'text/html' }, body: 'x' })],
  ])('by the error of %s, and what is logged on the way', async (_, fault) => {
    const logged: unknown[] = [];
    const note = (...facts: unknown[]) => logged.push(facts);
    const logger = { debug: note, info: note, warn: note, error: note };
    for (const options of [{}, { signer }]) {
      farSide.faults.push(fault(), fault());
      const error = await clientOf(farSide, { ...options, logger, logLevel: 'debug', maxRetries: 1 })
        .trades.list({ status: 'FILLED' })
        .then(
          () => undefined,
          (thrown) => thrown,
        );
      expect(error).toBeInstanceOf(Error);
      const shown = printed(error) + printed(logged);
      for (const secret of secretsOf()) expect(shown).not.toContain(secret);
      expect(printed(logged)).not.toContain('FILLED');
    }
  });

  it.each(['svc_test_with space', 'svc_test_é', 'svc_test_\u0000', 'svc_test_line\nx-other: 1'])(
    'by the error of an invalid API key: %j',
    (apiKey) => {
      expect(() => new Client({ baseURL: farSide.origin, apiKey })).toThrow(
        new TypeError(
          'apiKey is empty or contains characters that no API key has. Check it for spaces and line breaks.',
        ),
      );
    },
  );

  it('by the error of an invalid private key', () => {
    for (const key of [`${PRIVATE_KEY}0`, PRIVATE_KEY.slice(1), '0'.repeat(64), 'f'.repeat(64)]) {
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
