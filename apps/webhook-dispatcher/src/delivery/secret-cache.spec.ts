import { generateSealingKeyPair, Opener, Sealer } from '@trading-automation/core/sealing';
import { SecretCache, type SecretCacheOptions } from './secret-cache.js';

const secretOf = (fill: string) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;

describe('cached secrets', () => {
  let sealer: Sealer;
  let opener: Opener;
  beforeAll(async () => {
    const pair = await generateSealingKeyPair();
    sealer = await Sealer.for(pair);
    opener = await Opener.with([pair]);
  });

  const seal = (webhookId: string, fill: string) => sealer.seal(secretOf(fill), `webhook/${webhookId}`);

  function secretsWith(options: SecretCacheOptions = {}) {
    const opened: string[] = [];
    const secrets = new SecretCache(
      {
        open: (box, context) => {
          opened.push(context);
          return opener.open(box, context);
        },
      },
      options,
    );
    return { secrets, opened };
  }

  it('are opened only once, even for concurrent callers', async () => {
    const { secrets, opened } = secretsWith();
    const box = await seal('a', 'x');
    const all = await Promise.all(Array.from({ length: 8 }, () => secrets.get('a', box)));
    for (const secret of [...all, await secrets.get('a', box)])
      expect(Buffer.from(secret)).toEqual(Buffer.alloc(32, 'x'));
    expect(opened).toEqual(['webhook/a']);
  });

  it('are not used after a rotation', async () => {
    const { secrets } = secretsWith();
    await secrets.get('a', await seal('a', 'x'));
    expect(Buffer.from(await secrets.get('a', await seal('a', 'y')))).toEqual(Buffer.alloc(32, 'y'));
  });

  it('are not returned for the id of another webhook', async () => {
    const { secrets } = secretsWith();
    const box = await seal('a', 'x');
    await secrets.get('a', box);
    await expect(secrets.get('b', box)).rejects.toThrow('does not open');
  });

  it('expire after `ttlMs`, however often they are used', async () => {
    let nowMs = 0;
    const { secrets, opened } = secretsWith({ ttlMs: 100, nowMs: () => nowMs });
    const box = await seal('a', 'x');
    for (nowMs = 0; nowMs <= 150; nowMs += 50) await secrets.get('a', box);
    expect(opened).toHaveLength(2);
  });

  it('are evicted in the order of their last use when there are more than `countMax`', async () => {
    const { secrets, opened } = secretsWith({ countMax: 2 });
    const boxes = { a: await seal('a', 'x'), b: await seal('b', 'x'), c: await seal('c', 'x') };
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b'] as const) await secrets.get(id, boxes[id]);
    expect(opened).toEqual(['webhook/a', 'webhook/b', 'webhook/c', 'webhook/b']);
  });

  it('do not include failures: after a secret could not be opened, the next call tries to open it again', async () => {
    let isBroken = true;
    const box = await seal('a', 'x');
    const secrets = new SecretCache({
      open: (sealed, context) =>
        isBroken ? Promise.reject(new Error('broken')) : opener.open(sealed, context),
    });
    await expect(secrets.get('a', box)).rejects.toThrow('broken');
    isBroken = false;
    expect(Buffer.from(await secrets.get('a', box))).toEqual(Buffer.alloc(32, 'x'));
  });
});
