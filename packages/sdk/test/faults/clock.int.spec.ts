import { AuthenticationError } from '../../src/core/errors.js';
import type { Logger } from '../../src/core/log.js';
import { clientOf, order, signer } from './clients.js';
import { errorOutcome, FaultyApi, loseResponse, respondsWith } from './faulty-api.js';

const FIVE_MINUTES_MS = 300_000;

let farSide: FaultyApi;
beforeEach(async () => {
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

describe("a machine's clock that is five minutes off", () => {
  it.each([
    ['behind', FIVE_MINUTES_MS],
    ['ahead of', -FIVE_MINUTES_MS],
  ])('%s the server is repaired by one refusal, for every request that follows', async (where, skewMs) => {
    farSide.skewMs = skewMs;
    const warnings: string[] = [];
    const logger = { ...silent, warn: (message: string) => warnings.push(message) };
    const client = clientOf(farSide, { signer, maxRetries: 0, logger, logLevel: 'warn' });
    await client.trades.create(order('one'));
    await client.me.get();
    expect(farSide.seen).toHaveLength(3);
    expect(farSide.trades).toHaveLength(1);
    expect(warnings).toEqual([
      `The local clock is 300 s ${where} the server's; signing with the server's time.`,
    ]);
  });

  it('uses up no retry: an answer that is lost afterwards is still outlived', async () => {
    farSide.skewMs = FIVE_MINUTES_MS;
    const client = clientOf(farSide, { signer, maxRetries: 1 });
    farSide.faults.push(
      async ({ response, work }) => respondsWith(await work())({ response } as never),
      loseResponse,
    );
    await client.trades.create(order('one'));
    expect(farSide.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill(farSide.seen[0]!.headers['idempotency-key']),
    );
    expect(new Set(farSide.seen.map(({ headers }) => headers['x-svc-nonce'])).size).toBe(3);
    expect(farSide.trades).toHaveLength(1);
  });

  it('is repaired again when it is set right', async () => {
    const client = clientOf(farSide, { signer, maxRetries: 0 });
    farSide.skewMs = FIVE_MINUTES_MS;
    await client.me.get();
    farSide.skewMs = 0;
    await client.me.get();
    expect(farSide.seen).toHaveLength(4);
    expect(Math.abs(client.transport.clock.skewMs)).toBeLessThan(FIVE_MINUTES_MS / 2);
  });

  it('is retried only once if the server’s time does not help', async () => {
    farSide.faults.push(...Array(5).fill(respondsWith(errorOutcome(401, 'timestamp_out_of_window', []))));
    await expect(clientOf(farSide, { signer }).me.get()).rejects.toBeInstanceOf(AuthenticationError);
    expect(farSide.seen).toHaveLength(2);
  });

  it('matters to no API key', async () => {
    farSide.faults.push(respondsWith(errorOutcome(401, 'timestamp_out_of_window', [])));
    await expect(clientOf(farSide).me.get()).rejects.toMatchObject({ code: 'timestamp_out_of_window' });
    expect(farSide.seen).toHaveLength(1);
  });
});

const nothing = () => undefined;
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
