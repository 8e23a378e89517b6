/** Tests what the migration of reference prices does to the rows of earlier releases. */
import { CopyingUnderTest, type Follower } from '../src/copiers/testing/copying-under-test.js';
import { ReferencePricesInTicks1763700000050 } from '../src/database/migrations/0050-reference-prices-in-ticks.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

async function migrate(): Promise<void> {
  const runner = env.core.platform.database.createQueryRunner();
  try {
    await new ReferencePricesInTicks1763700000050().up(runner);
  } finally {
    await runner.release();
  }
}

const pricesOf = ({ uuid }: Follower) =>
  env.core.row(
    `SELECT trim_scale(s.reference_price)::text AS signal, trim_scale(d.reference_price)::text AS decision,
       d.inputs, t.copy
     FROM decisions d JOIN signals s ON s.id = d.signal_id JOIN trades t ON t.id = d.trade_id WHERE d.copier_id = $1`,
    uuid,
  );

it.each([
  ['100.123456789', '100.12'],
  ['100.1', '100.1'],
])('an average price of %s becomes %s in signals, decisions and copies', async (before, after) => {
  const follower = await env.followerWithLot();
  const { inputs, copy } = await pricesOf(follower);
  await env.core.rows('UPDATE signals SET reference_price = $1', before);
  await env.core.rows(
    "UPDATE decisions SET reference_price = $1::numeric, inputs = inputs || jsonb_build_object('reference_price', $1::text)",
    before,
  );
  await env.core.rows(
    "UPDATE trades SET copy = copy || jsonb_build_object('reference_price', $1::text) WHERE copy IS NOT NULL",
    before,
  );
  await migrate();
  expect(await pricesOf(follower)).toEqual({
    signal: after,
    decision: after,
    inputs: { ...(inputs as object), reference_price: after },
    copy: { ...(copy as object), reference_price: after },
  });
});
