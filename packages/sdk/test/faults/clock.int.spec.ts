import { AuthenticationError } from '../../src/core/errors.js';
import type { Logger } from '../../src/core/log.js';
import { clientOf, order, signer } from './clients.js';
import { errorOutcome, FaultyApi, loseResponse, respondsWith } from './faulty-api.js';

const FIVE_MINUTES_MS = 300_000;

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

describe('a local clock', () => {
  it.each([
    ['behind', FIVE_MINUTES_MS],
    ['ahead of', -FIVE_MINUTES_MS],
  ])(
    'five minutes %s the server is corrected after one rejected request, for all later requests',
    async (direction, skewMs) => {
      api.skewMs = skewMs;
      const warnings: string[] = [];
      const logger = { ...silent, warn: (message: string) => warnings.push(message) };
      const client = clientOf(api, { signer, maxRetries: 0, logger, logLevel: 'warn' });
      await client.trades.create(order('one'));
      await client.me.get();
      expect(api.requests).toHaveLength(3);
      expect(api.trades).toHaveLength(1);
      expect(warnings).toEqual([
        `The local clock is 300 s ${direction} the server's; signing with the server's time.`,
      ]);
    },
  );

  it('is corrected without using up a retry, so that a lost response is still retried', async () => {
    api.skewMs = FIVE_MINUTES_MS;
    const client = clientOf(api, { signer, maxRetries: 1 });
    api.faults.push(
      // The server itself responds to the first request: it rejects the timestamp.
      async ({ response, execute }) => respondsWith(await execute())({ response } as never),
      loseResponse,
    );
    await client.trades.create(order('one'));
    expect(api.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill(api.requests[0]!.headers['idempotency-key']),
    );
    expect(new Set(api.requests.map(({ headers }) => headers['x-svc-nonce'])).size).toBe(3);
    expect(api.trades).toHaveLength(1);
  });

  it('is corrected again if its difference from the server changes', async () => {
    const client = clientOf(api, { signer, maxRetries: 0 });
    api.skewMs = FIVE_MINUTES_MS;
    await client.me.get();
    api.skewMs = 0;
    await client.me.get();
    expect(api.requests).toHaveLength(4);
    expect(Math.abs(client.transport.clock.skewMs)).toBeLessThan(FIVE_MINUTES_MS / 2);
  });

  it('is corrected only once if the server rejects the corrected timestamp, too', async () => {
    api.faults.push(...Array(5).fill(respondsWith(errorOutcome(401, 'timestamp_out_of_window', []))));
    await expect(clientOf(api, { signer }).me.get()).rejects.toBeInstanceOf(AuthenticationError);
    expect(api.requests).toHaveLength(2);
  });

  it('is not corrected for a client with an API key', async () => {
    api.faults.push(respondsWith(errorOutcome(401, 'timestamp_out_of_window', [])));
    await expect(clientOf(api).me.get()).rejects.toMatchObject({ code: 'timestamp_out_of_window' });
    expect(api.requests).toHaveLength(1);
  });
});

const ignore = () => undefined;
const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
