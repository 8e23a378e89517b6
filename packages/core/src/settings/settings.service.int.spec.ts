import { JsonNumber, jsonText, type Setting, settingOperations } from '@trading-automation/contracts';

import { type Actor, CreatedRecord, dataOfResult, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { SettingsService } from './settings.service.js';

let core: CoreUnderTest;
let settings: SettingsService;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  settings = new SettingsService(core.platform, core.lists, core.commands);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor('READ');
});

const put = async (key: string, value: unknown, user: Actor = actor) =>
  dataOfResult(await settings.put(user, key, { value })) as Setting;
const list = (query = '', user: Actor = actor) =>
  settings.list(
    user,
    querySchemaOf(settingOperations.list).parse(Object.fromEntries(new URLSearchParams(query))) as Parameters<
      SettingsService['list']
    >[1],
  );
const textOf = ({ value }: Setting) => value.text;

describe('a setting', () => {
  it('can be put, read, changed and deleted with READ', async () => {
    const stored = await put('theme', 'dark');
    expect(stored).toMatchObject({ key: 'theme', created_at: stored.updated_at });
    expect(await settings.get(actor, 'theme')).toEqual(stored);
    const changed = await put('theme', 'light');
    expect(changed.created_at).toBe(stored.created_at);
    expect(textOf(await settings.get(actor, 'theme'))).toBe('"light"');
    expect(await settings.delete(actor, 'theme')).toEqual({ key: 'theme', deleted: true });
    await expect(settings.get(actor, 'theme')).rejects.toMatchObject({ code: 'not_found' });
    await expect(settings.delete(actor, 'theme')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['null', null],
    [
      'a number with more digits than a double',
      new JsonNumber('123456789012345678901234567890.000000000000000000000000001'),
    ],
    ['a number beyond the range of doubles', [new JsonNumber('-1e999')]],
    ['a negative zero', { z: -0 }],
    ['members in a custom order', { z: 1, a: { y: 2, b: [] }, m: null }],
    ['text with other scripts, quotes and escapes', '\u0001"\\/\n\u2028😀ü'],
  ])('is returned as it was put: %s', async (_case, value) => {
    const text = jsonText(value);
    expect(textOf(await put('k', value))).toBe(text);
    expect(textOf(await settings.get(actor, 'k'))).toBe(text);
    expect((await list()).items.map(textOf)).toEqual([text]);
  });

  it('is reported as created by its first put, and as changed by later ones', async () => {
    const created = await settings.put(actor, 'theme', { value: 1 });
    expect(created).toBeInstanceOf(CreatedRecord);
    expect(created).toMatchObject({
      location: '/v1/settings/theme',
      record: { key: 'theme', is_default: false },
    });
    expect(await settings.put(actor, 'theme', { value: 2 })).toMatchObject({
      key: 'theme',
      is_default: false,
    });
    await settings.delete(actor, 'theme');
    expect(await settings.put(actor, 'theme', { value: 3 })).toBeInstanceOf(CreatedRecord);
  });

  it.each(['.', '..'])(
    'cannot be put with the key %s, which is a path segment; one of an earlier release can be read, listed and deleted',
    async (key) => {
      await core.rows(
        'INSERT INTO settings (id, user_id, key, value) VALUES (gen_random_uuid(), $1, $2, $3)',
        actor.userId,
        key,
        '1',
      );
      await expect(put(key, 2)).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'key', code: 'invalid_format' }],
      });
      expect(textOf(await settings.get(actor, key))).toBe('1');
      expect((await list()).items.map((item) => item.key)).toEqual([key]);
      expect(await settings.delete(actor, key)).toEqual({ key, deleted: true });
    },
  );

  it.each(['', 'UPPER', 'spa ce', 'ü', 'nul\u0000', 'slash/ed', 'x'.repeat(65), 'line\n'])(
    'cannot have the key %j: a put is rejected, and a get or delete fails with not_found',
    async (key) => {
      await expect(put(key, 1)).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'key', code: 'invalid_format' }],
      });
      await expect(settings.get(actor, key)).rejects.toMatchObject({ code: 'not_found' });
      await expect(settings.delete(actor, key)).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  it.each(['.', '..', '', 'UPPER', 'nul\u0000', 'x'.repeat(65), '\ud800'])(
    'that is missing because its key %j is not allowed fails with an error that names the key and the rule',
    async (key) => {
      const shown = JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
      const error = {
        code: 'not_found',
        message: `No setting has the key ${shown}. A key has 1 to 64 characters of a-z, 0-9, ., _ and -, but neither . nor .. alone.`,
      };
      await expect(settings.get(actor, key)).rejects.toMatchObject(error);
      await expect(settings.delete(actor, key)).rejects.toMatchObject(error);
    },
  );

  it('can have a key with any allowed character and any allowed length', async () => {
    for (const key of ['a', '...', '-_.', 'abcdefghijklmnopqrstuvwxyz0123456789', 'x'.repeat(64)]) {
      await put(key, key);
      expect(textOf(await settings.get(actor, key))).toBe(`"${key}"`);
    }
  });

  it('is stored once, with one of the values, if twelve requests put the same new key concurrently', async () => {
    const stored = await Promise.all(Array.from({ length: 12 }, (_, index) => put('race', index)));
    expect(new Set(stored.map(({ created_at }) => created_at)).size).toBe(1);
    const { items } = await list();
    expect(items).toHaveLength(1);
    expect(stored.map(textOf)).toContain(textOf(items[0]!));
  });

  it('can be read, changed and deleted only by its own user', async () => {
    const other = await core.actor('READ');
    await put('mine', 1);
    await expect(settings.get(other, 'mine')).rejects.toMatchObject({ code: 'not_found' });
    await expect(settings.delete(other, 'mine')).rejects.toMatchObject({ code: 'not_found' });
    await put('mine', 2, other);
    expect(textOf(await settings.get(actor, 'mine'))).toBe('1');
    expect((await list('', other)).items.map(textOf)).toEqual(['2']);
  });
});

describe('the setting for notification preferences', () => {
  it('has a default if it was never set, which can be put unchanged', async () => {
    await expect(settings.get(actor, 'notifications')).resolves.toMatchObject({ key: 'notifications' });
    const byDefault = await settings.get(actor, 'notifications');
    expect([textOf(byDefault), byDefault.is_default]).toEqual(['{"in_app":{},"email":{}}', true]);
    const [user] = await core.rows('SELECT created_at FROM users WHERE id = $1', actor.userId);
    expect([byDefault.created_at, byDefault.updated_at]).toEqual(
      Array(2).fill((user!.created_at as Date).toISOString()),
    );
    expect((await list()).items).toEqual([]);
    await put('notifications', JSON.parse(textOf(byDefault)));
    expect(await settings.get(actor, 'notifications')).toMatchObject({ is_default: false });
    await settings.delete(actor, 'notifications');
    expect((await settings.get(actor, 'notifications')).is_default).toBe(true);
  });

  it('is stored as it was put', async () => {
    const value = { email: { 'trade.*': true, 'trade.filled': false }, in_app: { 'copier.drift': false } };
    expect(textOf(await put('notifications', value))).toBe(jsonText(value));
    expect(textOf(await put('notifications', {}))).toBe('{}');
  });

  it.each([
    ['all', 'value', 'invalid_type', /^Expected an object like/],
    [{ sms: {} }, 'value.sms', 'unknown_field', /in_app and email/],
    [
      { email: { 'trade.exploded': true } },
      'value.email.trade.exploded',
      'unknown_field',
      /Expected an event type/,
    ],
    [{ email: { '*': new JsonNumber('1') } }, 'value.email.*', 'invalid_type', /true or false/],
    [{ email: { 'key.created': false } }, 'value.email.key.created', 'invalid_value', /Omit this event type/],
  ])('rejects %j, because it would have no effect', async (value, field, code, resolution) => {
    await put('notifications', { email: {} });
    await expect(put('notifications', value)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field, code, message: expect.stringMatching(resolution) }],
    });
    expect(textOf(await settings.get(actor, 'notifications'))).toBe('{"email":{}}');
    await expect(put('notifications.mine', value)).resolves.toMatchObject({ key: 'notifications.mine' });
  });
});

describe('the list of settings', () => {
  it('can be sorted by key, creation time or update time, in pages', async () => {
    for (const key of ['b', 'a-', 'a.', 'a', 'c']) await put(key, key);
    await put('b', 'changed');
    const keysOf = async (query: string) => (await list(query)).items.map(({ key }) => key);
    expect(await keysOf('sort=key&order=asc')).toEqual(['a', 'a-', 'a.', 'b', 'c']);
    expect(await keysOf('')).toEqual(['c', 'a', 'a.', 'a-', 'b']);
    expect(await keysOf('sort=updated_at')).toEqual(['b', 'c', 'a', 'a.', 'a-']);
    const first = await list('sort=key&order=asc&limit=3');
    const rest = await list(
      `sort=key&order=asc&limit=3&cursor=${encodeURIComponent(String(first.pagination.next_cursor))}`,
    );
    expect([...first.items, ...rest.items].map(({ key }) => key)).toEqual(['a', 'a-', 'a.', 'b', 'c']);
  });
});

describe('a user who reaches 1,000 settings', () => {
  beforeEach(async () => {
    await core.rows(
      `INSERT INTO settings (id, user_id, key, value)
       SELECT gen_random_uuid(), $1, 'k' || n, '0' FROM generate_series(1, 995) AS n`,
      actor.userId,
    );
  });

  it('cannot add another setting, even concurrently, but can change existing settings', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => put(`new${n}`, n)));
    const rejections = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(rejections).toHaveLength(7);
    for (const reason of rejections) {
      expect(reason).toMatchObject({ code: 'limit_reached', details: [{ limit: 1_000 }] });
    }
    expect(textOf(await put('k1', 'changed'))).toBe('"changed"');
    await settings.delete(actor, 'k2');
    await expect(put('room', 1)).resolves.toMatchObject({ key: 'room' });
    await expect(put('no-room', 1)).rejects.toMatchObject({ code: 'limit_reached' });
  });
});
