/** Checks events and samples against the schemas of the event catalogue, with an independent validator. */
import { OPERATIONS } from '@trading-automation/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { perform, populate } from './contract.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

interface CatalogueEntry {
  readonly type: string;
  readonly schema: object;
  readonly sample: object;
}

let environment: TestEnvironment;
let owner: TestUser;
let entries: Map<string, CatalogueEntry & { readonly validate: ValidateFunction }>;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  const { types } = (await owner.requireData('GET', '/v1/events/types')) as unknown as {
    types: CatalogueEntry[];
  };
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  formats.default(ajv);
  entries = new Map(types.map((entry) => [entry.type, { ...entry, validate: ajv.compile(entry.schema) }]));
});
afterAll(() => environment?.close());

it('every event of a user who called all operations matches the schema of its type', async () => {
  const requests = await populate(owner);
  for (const [operation, request] of requests)
    if (operation.method !== 'GET') await perform(operation, owner, request);
  const rows = await environment.rows(
    'SELECT type, payload FROM outbox_events WHERE user_id = $1',
    owner.uuid,
  );
  const mismatches = rows.flatMap(({ type, payload }) => {
    const { validate } = entries.get(String(type))!;
    return validate(JSON.parse(String(payload))) ? [] : [{ type, errors: validate.errors }];
  });
  expect(mismatches).toEqual([]);
  const types = new Set(rows.map(({ type }) => String(type)));
  expect([...types].sort()).toEqual(
    expect.arrayContaining([
      'copier.started',
      'copier.stopped',
      'key.created',
      'key.revoked',
      'public_key.linked',
      'reward.claimed',
      'trade.created',
      'withdrawal.cancelled',
      'withdrawal.created',
    ]),
  );
});

it('every sample matches its schema, with decimals as numbers and as strings', async () => {
  const operation = OPERATIONS.find(({ id }) => id === 'events.types')!;
  for (const accept of ['application/json', 'application/json; decimals=string']) {
    const { json } = await perform(operation, owner, {}, { headers: { accept } });
    for (const { type, sample } of (json.data as { types: CatalogueEntry[] }).types) {
      const { validate } = entries.get(type)!;
      expect([type, validate(sample), validate.errors]).toEqual([type, true, null]);
    }
  }
});
