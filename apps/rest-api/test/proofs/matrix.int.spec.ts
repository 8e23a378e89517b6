/**
 * Tests every operation with each permission, without credentials, and with unknown ids, fields and parameters.
 * A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md.
 */
import { OPERATIONS, type Operation, PERMISSIONS, permits } from '@trading-automation/contracts';
import { send, type TestResponse } from '../send.js';
import {
  expectContract,
  goodRequest,
  idLocations,
  isOwned,
  malformedIds,
  perform,
  targetOf,
  unknownId,
} from './contract.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

let environment: TestEnvironment;
let otherUser: TestUser;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  otherUser = await TestUser.create(environment);
});
afterAll(() => environment?.close());

const named = OPERATIONS.map((operation) => [operation.id, operation] as const);
const needsKey = ({ access }: Operation) => access !== 'PUBLIC' && access !== 'CHALLENGE';
/** Fields that a request may set only if the schema of its body contains them. */
const PROTECTED_FIELDS = ['user_id', 'id', 'created_at', 'consecutive_failures', 'secret', 'admin'];

function expectSuccess({ status, createdStatus }: Operation, response: TestResponse): void {
  const expected = createdStatus === undefined ? [status] : [status, createdStatus];
  expect({ text: response.text, statuses: expected }).toEqual({
    text: response.text,
    statuses: expect.arrayContaining([response.status]),
  });
}

function expectError(operation: Operation, response: TestResponse, status: number, code: string): void {
  expect({ status: response.status, code: response.json.error?.code }).toEqual({ status, code });
  expectContract(operation, response);
}

/** Returns a response without its request id, which differs between requests. */
const comparable = ({ status, json }: TestResponse) => ({
  status,
  ...json,
  error: { ...json.error, request_id: undefined },
});

describe.each(named)('%s', (_id, operation) => {
  let owner: TestUser;
  beforeAll(async () => {
    owner = await TestUser.create(environment);
  });

  it('succeeds for permitted callers and rejects all others', async () => {
    for (const permission of PERMISSIONS) {
      const request = await goodRequest(operation, owner);
      const response = await perform(operation, owner, request, { permission });
      const { access } = operation;
      if (access === 'PUBLIC' || access === 'CHALLENGE' || permits([permission], access)) {
        // Operations with the access CHALLENGE also accept an API key, but only one with the ADMIN permission.
        const isRejected = access === 'CHALLENGE' && permission !== 'ADMIN';
        if (isRejected) expectError(operation, response, 403, 'permission_denied');
        else {
          expectSuccess(operation, response);
          if (operation.stream !== true) expectContract(operation, response);
        }
      } else {
        expectError(operation, response, 403, 'permission_denied');
        expect(response.json.error?.details).toMatchObject([{ permission: access }]);
      }
    }
  });

  if (needsKey(operation))
    it('requires credentials', async () => {
      const request = await goodRequest(operation, owner);
      const body = 'body' in request ? { body: JSON.stringify(request.body) } : {};
      const response = await send(environment.api, operation.method, targetOf(operation, request), {
        headers: { 'content-type': 'application/json' },
        ...body,
      });
      expectError(operation, response, 401, 'authentication_required');
    });

  it('succeeds at its legacy alias, and the Link header of the response names the /v1 path', async () => {
    const request = await goodRequest(operation, owner);
    const alias = { ...operation, path: operation.path.slice('/v1'.length) as Operation['path'] };
    const response = await perform(alias, owner, request);
    expectSuccess(operation, response);
    expect(response.headers.deprecation).toMatch(/^@\d+$/);
    const successor = `/v1${targetOf(alias, { ...request, query: {} })}`;
    expect(response.headers.link).toBe(`<${successor}>; rel="successor-version"`);
    if (operation.stream !== true) expectContract(operation, response);
  });

  it('row 12: rejects an unknown query parameter', async () => {
    const request = await goodRequest(operation, owner);
    const response = await perform(operation, owner, {
      ...request,
      query: { ...request.query, surprise: '1' },
    });
    expectError(operation, response, 400, 'invalid_query');
    expect(response.json.error?.details).toMatchObject([{ field: 'surprise', code: 'unknown_parameter' }]);
  });

  if (operation.method !== 'GET')
    it('rejects unknown body fields', async () => {
      const request = await goodRequest(operation, owner);
      const rejected = PROTECTED_FIELDS.filter((name) => !(name in (operation.body?.shape ?? {})));
      for (const name of ['surprise', ...rejected]) {
        const body = { ...(request.body as object | undefined), [name]: 'x' };
        const response = await perform(operation, owner, { ...request, body });
        expectError(operation, response, 422, 'validation_failed');
        expect(response.json.error?.details).toContainEqual(
          expect.objectContaining({ field: name, code: 'unknown_field' }),
        );
      }
    });

  for (const place of idLocations(operation)) {
    it(`returns the same not_found for an unknown, a malformed and another user's id in ${place.part} ${place.name}`, async () => {
      const request = await goodRequest(operation, owner);
      const unknown = await perform(operation, owner, place.put(request, unknownId(place.prefix)));
      expectError(operation, unknown, 404, 'not_found');
      if (place.part !== 'params')
        expect(unknown.json.error?.details).toMatchObject([{ field: place.field, code: 'not_found' }]);
      for (const id of malformedIds(place.prefix)) {
        const malformed = await perform(operation, owner, place.put(request, id));
        expect({ id, ...comparable(malformed) }).toEqual({ id, ...comparable(unknown) });
      }
      if (!isOwned(place.prefix)) return;
      const idOfOtherUser =
        place.read(await goodRequest(operation, otherUser)) ?? (await otherUser.idOf(place.prefix));
      const notOwned = await perform(operation, owner, place.put(request, idOfOtherUser));
      expect(comparable(notOwned)).toEqual(comparable(unknown));
    });
  }
});
