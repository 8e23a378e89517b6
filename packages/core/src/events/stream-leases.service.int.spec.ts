import { EVENT_STREAMS_MAX } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { CoreUnderTest } from '../testing/index.js';
import { StreamLeases } from './stream-leases.service.js';

const EVENT_STREAMS = { kind: 'events', max: EVENT_STREAMS_MAX, maxPerUser: 15 } as const;

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

const holderOf = (credentialId: string) => ({ userId: newUuid(), credential: { id: credentialId } });
const secondsLeft = async (credentialId: string): Promise<number> => {
  const row = await core.row(
    'SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 AS left FROM event_streams WHERE credential_id = $1',
    credentialId,
  );
  return row.left as number;
};
const setSecondsLeft = (credentialId: string, seconds: number) =>
  core.rows(
    "UPDATE event_streams SET lease_until = clock_timestamp() + $2 * interval '1 second' WHERE credential_id = $1",
    credentialId,
    seconds,
  );

describe('the lease of a stream', () => {
  it('is renewed while it is held, and deleted when it is released', async () => {
    const leases = new StreamLeases(core.platform, EVENT_STREAMS, 20);
    const credentialId = newUuid();
    const release = await leases.claim(holderOf(credentialId), () => {
      throw new Error('the lease was lost');
    });
    await setSecondsLeft(credentialId, 5);
    await eventually(async () => (await secondsLeft(credentialId)) >= 20);
    await release();
    expect(await core.rows('SELECT FROM event_streams WHERE credential_id = $1', credentialId)).toEqual([]);
  });

  it('is not renewed once it has expired, and its stream ends', async () => {
    const leases = new StreamLeases(core.platform, EVENT_STREAMS, 20);
    const credentialId = newUuid();
    let onLost = () => {};
    const lost = new Promise<void>((resolve) => {
      onLost = resolve;
    });
    const release = await leases.claim(holderOf(credentialId), () => onLost());
    await setSecondsLeft(credentialId, -1);
    await lost;
    expect(await secondsLeft(credentialId)).toBeLessThan(0);
    await release();
  });
});
