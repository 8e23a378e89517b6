import pLimit from 'p-limit';
import { loadFaults, runFault } from '../faults/run.mjs';

/** Runs the short form of every fault of `npm run faults` with all defences. For another seed, set FAULTS_SEED=7. */
const seed = Number(process.env.FAULTS_SEED ?? '1');
const faults = await loadFaults();
/** Two faults run at a time, because each waits for half of its time. More would only slow each other down on two cores. */
const limit = pLimit(2);

it.concurrent.each(faults.map((fault) => [fault.id, fault.title, fault.target, fault]))(
  '%s, %s: %s',
  async (_id, _title, _target, fault) => {
    const { defended } = await limit(() =>
      runFault(fault, { size: 'short', seeds: [seed], modes: ['with'], print: () => {} }),
    );
    expect(defended).toEqual([expect.objectContaining({ seed, violations: [] })]);
  },
  300_000,
);
