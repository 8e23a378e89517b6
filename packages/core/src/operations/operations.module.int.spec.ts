import { createHash } from 'node:crypto';
import type { DynamicModule, Type } from '@nestjs/common';
import { tradePairOperations } from '@trading-automation/contracts';
import { Platform, PlatformModule, type ServerKeys } from '../platform/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { CommandRunner, ResponseReplayed } from './command-runner.js';
import { ListReader } from './list-reader.js';
import { OperationsModule } from './operations.module.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  for (const base of ['AAA', 'BBB']) await core.pair({ base });
});
afterAll(() => core.close());

const keyOf = (label: string) => createHash('sha256').update(label).digest();
const resolve = <T>({ providers = [] }: DynamicModule, token: Type<T>): T => {
  const provider = providers.find((each) => 'provide' in each && each.provide === token);
  return (provider as unknown as { readonly useValue: T }).useValue;
};
const moduleWithKeys = (...serverKeys: ServerKeys) => OperationsModule.with(core.platform, serverKeys);
const readPage = (module: DynamicModule, cursor?: string) =>
  resolve(module, ListReader).page(
    tradePairOperations.list,
    'ann',
    {
      select: 'p.symbol',
      from: 'trade_pairs p',
      where: [],
      params: [],
      sorts: { symbol: { column: 'p.symbol', type: 'text' } },
      idColumn: 'p.id',
    },
    { limit: 1, sort: 'symbol', order: 'asc', include: [], cursor },
  );

describe('the shared providers of a process', () => {
  it('are the platform in every process, and also the lists and commands in an API', () => {
    const platformModule = PlatformModule.with(core.platform);
    expect(platformModule).toMatchObject({ global: true, exports: [Platform] });
    expect(resolve(platformModule, Platform)).toBe(core.platform);
    expect(moduleWithKeys(keyOf('a'))).toMatchObject({ global: true, exports: [ListReader, CommandRunner] });
  });

  it('accept only cursors of processes with the same current server key', async () => {
    const { pagination } = await readPage(moduleWithKeys(keyOf('a')));
    const cursor = pagination.next_cursor ?? '';
    await expect(readPage(moduleWithKeys(keyOf('a'), keyOf('b')), cursor)).resolves.toMatchObject({
      items: [{ symbol: 'BBB/USDT' }],
    });
    await expect(readPage(moduleWithKeys(keyOf('b')), cursor)).rejects.toMatchObject({
      code: 'invalid_query',
    });
  });

  it('replay responses that were stored before the server key was replaced', async () => {
    const { userId } = await core.actor();
    const idempotency = core.idempotencyContext(userId, 'key-1');
    await resolve(moduleWithKeys(keyOf('a')), CommandRunner).run(idempotency, async () => 'done');
    const after = resolve(moduleWithKeys(keyOf('b'), keyOf('a')), CommandRunner);
    await expect(after.run(idempotency, async () => 'again')).rejects.toBeInstanceOf(ResponseReplayed);
  });
});
