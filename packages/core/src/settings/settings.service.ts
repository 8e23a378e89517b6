import {
  DomainError,
  isNewSettingKey,
  jsonText,
  SETTING_KEY,
  type Setting,
  type SettingPut,
  StoredJson,
  settingOperations,
} from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { lockUser } from '../access/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  CreatedRecord,
  type ListQuery,
  type ListReader,
  limitReached,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { assertValidSetting, defaultOf } from './known-settings.js';

const SETTINGS_MAX = 1_000;
const KEY_RULE = '1 to 64 characters of a-z, 0-9, ., _ and -, but neither . nor .. alone';

/** Selects the value as text, because the driver would parse JSON numbers as doubles. */
const COLUMNS = 's.key, s.value::text AS value, s.created_at, s.updated_at';

type SettingRow = {
  readonly key: string;
  readonly value: string;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** Stores key-value settings for each user. Returns the JSON exactly as the user put it. */
export class SettingsService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<Setting>> {
    authorise(actor, settingOperations.list.access);
    const source = {
      select: COLUMNS,
      from: 'settings s',
      where: ['s.user_id = $1'],
      params: [actor.userId],
      sorts: {
        created_at: { column: 's.created_at', type: 'timestamptz' as const },
        updated_at: { column: 's.updated_at', type: 'timestamptz' as const },
        key: { column: 's.key', type: 'text' as const },
      },
      idColumn: 's.id',
    };
    const page = await this.lists.page<SettingRow>(settingOperations.list, actor.userId, source, query);
    return { ...page, items: page.items.map(settingView) };
  }

  async get(actor: Actor, key: string): Promise<Setting> {
    authorise(actor, settingOperations.get.access);
    const [row] = await this.platform.database.query(
      `SELECT ${COLUMNS} FROM settings s WHERE s.user_id = $1 AND s.key = $2`,
      [actor.userId, parseKey(key)],
    );
    return row === undefined ? this.defaultSetting(actor, key) : settingView(row);
  }

  /** @throws {DomainError} `not_found` if the setting has no default */
  private async defaultSetting(actor: Actor, key: string): Promise<Setting> {
    const value = defaultOf(key);
    if (value === undefined) {
      assertKeyAllowed(key);
      throw new DomainError('not_found', `Setting ${key} is not set. Set it with PUT.`);
    }
    const [{ created_at }] = await this.platform.database.query(
      'SELECT created_at FROM users WHERE id = $1',
      [actor.userId],
    );
    return { ...settingView({ key, value, created_at, updated_at: created_at }), is_default: true };
  }

  async put(actor: Actor, key: string, input: SettingPut): Promise<Setting | CreatedRecord<Setting>> {
    authorise(actor, settingOperations.put.access);
    if (!isNewSettingKey(key)) {
      throw new DomainError('validation_failed', undefined, [
        { field: 'key', code: 'invalid_format', message: `Expected ${KEY_RULE}.` },
      ]);
    }
    assertValidSetting(key, input.value);
    const value = jsonText(input.value);
    return this.commands.run(actor.idempotency, async (tx) => {
      await assertBelowLimit(tx, actor.userId, key);
      const [row] = await tx.query(
        `INSERT INTO settings AS s (id, user_id, key, value) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value, updated_at = clock_timestamp()
         RETURNING ${COLUMNS}, xmax = 0 AS is_new`,
        [newUuid(), actor.userId, key, value],
      );
      const setting = settingView(row);
      return row.is_new
        ? new CreatedRecord(setting, settingOperations.put.path.replace(':key', key))
        : setting;
    });
  }

  async delete(actor: Actor, key: string): Promise<{ key: string; deleted: true }> {
    authorise(actor, settingOperations.delete.access);
    const settingKey = parseKey(key);
    return this.commands.run(actor.idempotency, async (tx) => {
      const [, count] = await tx.query('DELETE FROM settings WHERE user_id = $1 AND key = $2', [
        actor.userId,
        settingKey,
      ]);
      if (count === 0) {
        assertKeyAllowed(settingKey);
        throw new DomainError('not_found');
      }
      return { key: settingKey, deleted: true };
    });
  }
}

/**
 * Checks a key before a query uses it: Postgres rejects some strings, such as one with a NUL character.
 *
 * @throws {DomainError} `not_found` if the key is malformed
 */
function parseKey(text: string): string {
  if (!SETTING_KEY.test(text)) assertKeyAllowed(text);
  return text;
}

/** @throws {DomainError} `not_found` if no new setting can have the key; its message contains the rule for keys */
function assertKeyAllowed(key: string): void {
  if (isNewSettingKey(key)) return;
  throw new DomainError('not_found', `No setting has the key ${shown(key)}. A key has ${KEY_RULE}.`);
}

/** Returns at most 64 characters of a key, which may contain any character. */
function shown(key: string): string {
  return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
}

/**
 * Takes the user's lock, so that two concurrent requests cannot both create the last allowed setting. A user at the
 * limit can still change existing settings.
 */
async function assertBelowLimit(tx: Tx, userId: string, key: string): Promise<void> {
  await lockUser(tx, userId);
  const [{ count, key_exists }] = await tx.query(
    `SELECT count(*)::int AS count, coalesce(bool_or(key = $2), false) AS key_exists
     FROM settings WHERE user_id = $1`,
    [userId, key],
  );
  if (key_exists || count < SETTINGS_MAX) return;
  throw limitReached('settings', SETTINGS_MAX);
}

function settingView(row: SettingRow): Setting {
  return {
    key: row.key,
    value: StoredJson.of(row.value),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    is_default: false,
  };
}
