import fc from 'fast-check';
import type { Level } from '../../engine/book.js';
import { DepthTracker } from './depth-diff.js';

const side = fc
  .dictionary(fc.integer({ min: 1, max: 6 }).map(String), fc.integer({ min: 1, max: 3 }))
  .map((levels) => Object.entries(levels).map(([ticks, amountSteps]): Level => [Number(ticks), amountSteps]));
const sides = fc.record({ bids: side, asks: side });

function sorted(levels: Iterable<Level>): Level[] {
  return [...levels].sort(([a], [b]) => a - b);
}

describe('the depth events of a stream', () => {
  it('bring any snapshot, whenever it was fetched, up to the current book', () => {
    fc.assert(
      fc.property(
        sides,
        fc.array(sides, { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (start, changes, snapshotSeed, intervalSeed) => {
          const tracker = new DepthTracker(start, 0);
          const snapshotAt = snapshotSeed % changes.length;
          const changesPerEvent = 1 + (intervalSeed % 4);
          const local = { bids: new Map<number, number>(), asks: new Map<number, number>() };
          let version = 0;
          let snapshotVersion: number | undefined;
          let sentVersion = 0;
          const applyEvent = () => {
            const diff = tracker.take(version);
            if (diff === undefined) return;
            expect(diff.firstVersion).toBe(sentVersion + 1);
            sentVersion = diff.lastVersion;
            if (snapshotVersion === undefined || diff.lastVersion <= snapshotVersion) return;
            for (const name of ['bids', 'asks'] as const) {
              for (const [ticks, amountSteps] of diff[name]) {
                if (amountSteps === 0) local[name].delete(ticks);
                else local[name].set(ticks, amountSteps);
              }
            }
          };
          for (const [n, change] of changes.entries()) {
            version += 1;
            tracker.observe(change);
            if (n === snapshotAt) {
              snapshotVersion = version;
              local.bids = new Map(change.bids);
              local.asks = new Map(change.asks);
            }
            if (version % changesPerEvent === 0) applyEvent();
          }
          applyEvent();
          const last = changes.at(-1)!;
          expect(sorted(local.bids)).toEqual(sorted(last.bids));
          expect(sorted(local.asks)).toEqual(sorted(last.asks));
        },
      ),
    );
  });
});
