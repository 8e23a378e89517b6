/** Checks the product's events against the schemas of the catalogue with an independent validator. */
import { OPERATIONS } from '@trading-automation/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { perform, populate } from './contract.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

interface Kind {
  readonly type: string;
  readonly schema: object;
  readonly sample: object;
}

let environment: TestEnvironment;
let owner: TestUser;
let kinds: Map<string, Kind & { readonly validate: ValidateFunction }>;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  const { types } = (await owner.requireData('GET', '/v1/events/types')) as unknown as { types: Kind[] };
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  formats.default(ajv);
  kinds = new Map(types.map((kind) => [kind.type, { ...kind, validate: ajv.compile(kind.schema) }]));
});
afterAll(() => environment?.close());

it('every event of an account that used all operations matches the schema of its type', async () => {
  const requests = await populate(owner);
  for (const [operation, request] of requests)
    if (operation.method !== 'GET') await perform(operation, owner, request);
  const rows = await environment.rows(
    'SELECT type, payload FROM outbox_events WHERE user_id = $1',
    owner.uuid,
  );
  const wrong = rows.flatMap(({ type, payload }) => {
    const { validate } = kinds.get(String(type))!;
    return validate(JSON.parse(String(payload))) ? [] : [{ type, errors: validate.errors }];
  });
  expect(wrong).toEqual([]);
  const seen = new Set(rows.map(({ type }) => String(type)));
  expect([...seen].sort()).toEqual(
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

it('every sample matches its schema in both decimal forms', async () => {
  const operation = OPERATIONS.find(({ id }) => id === 'events.types')!;
  for (const accept of ['application/json', 'application/json; decimals=string']) {
    const { json } = await perform(operation, owner, {}, { headers: { accept } });
    for (const { type, sample } of (json.data as { types: Kind[] }).types) {
      const { validate } = kinds.get(type)!;
      expect([type, validate(sample), validate.errors]).toEqual([type, true, null]);
    }
  }
});
