import fc from 'fast-check';
import type { Level } from '../../engine/book.js';
import { DepthTracker } from './depth-diff.js';

const side = fc
  .dictionary(fc.integer({ min: 1, max: 6 }).map(String), fc.integer({ min: 1, max: 3 }))
  .map((levels) => Object.entries(levels).map(([ticks, lots]): Level => [Number(ticks), lots]));
const sides = fc.record({ bids: side, asks: side });

function sorted(levels: Iterable<Level>): Level[] {
  return [...levels].sort(([a], [b]) => a - b);
}

describe('the depth of a stream', () => {
  it('updates any snapshot to the current book', () => {
    fc.assert(
      fc.property(
        sides,
        fc.array(sides, { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (start, changes, s, e) => {
          const tracker = new DepthTracker(start, 0);
          const snapshotAt = s % changes.length;
          const tellEvery = 1 + (e % 4);
          const local = { bids: new Map<number, number>(), asks: new Map<number, number>() };
          let version = 0;
          let snapshotVersion: number | undefined;
          let told = 0;
          const tell = () => {
            const diff = tracker.take(version);
            if (diff === undefined) return;
            expect(diff.firstVersion).toBe(told + 1);
            told = diff.lastVersion;
            if (snapshotVersion === undefined || diff.lastVersion <= snapshotVersion) return;
            for (const name of ['bids', 'asks'] as const) {
              for (const [ticks, lots] of diff[name]) {
                if (lots === 0) local[name].delete(ticks);
                else local[name].set(ticks, lots);
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
            if (version % tellEvery === 0) tell();
          }
          tell();
          const last = changes.at(-1)!;
          expect(sorted(local.bids)).toEqual(sorted(last.bids));
          expect(sorted(local.asks)).toEqual(sorted(last.asks));
        },
      ),
    );
  });
});
