import pLimit from 'p-limit';
import { loadFaults, runFault } from '../faults/run.mjs';

/** The short form of every fault of `npm run faults`, with all defences up. Another seed: FAULTS_SEED=7. */
const seed = Number(process.env.FAULTS_SEED ?? '1');
const faults = await loadFaults();
/** Each has a world of its own, and waits for half of its time; of more, two cores would make one long queue. */
const inTurn = pLimit(2);

it.concurrent.each(faults.map((fault) => [fault.id, fault.title, fault.target, fault]))(
  '%s, %s: %s',
  async (_id, _title, _target, fault) => {
    const { defended } = await inTurn(() =>
      runFault(fault, { size: 'short', seeds: [seed], modes: ['with'], say: () => {} }),
    );
    expect(defended).toEqual([expect.objectContaining({ seed, verdict: [] })]);
  },
  300_000,
);
