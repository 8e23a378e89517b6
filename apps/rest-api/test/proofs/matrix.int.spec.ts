/** Checks every route with every type of credential, id, field and parameter against its contract. */
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
let stranger: TestUser;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  stranger = await TestUser.create(environment);
});
afterAll(() => environment?.close());

const named = OPERATIONS.map((operation) => [operation.id, operation] as const);
const needsKey = ({ access }: Operation) => access !== 'PUBLIC' && access !== 'CHALLENGE';
/** Fields that no request may set. */
const NOT_ASSIGNABLE = ['user_id', 'id', 'created_at', 'consecutive_failures', 'secret', 'admin'];

function expectRefusal(operation: Operation, answer: TestResponse, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json.error?.code }).toEqual({ status, code });
  expectContract(operation, answer);
}

/** Returns a response without the parts that differ between requests. */
const wordsOf = ({ status, json }: TestResponse) => ({
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
      const answer = await perform(operation, owner, request, { permission });
      const { access } = operation;
      if (access === 'PUBLIC' || access === 'CHALLENGE' || permits([permission], access)) {
        // A key may be sent with a challenge, too, and only ADMIN may link a key pair.
        const isRefused = access === 'CHALLENGE' && permission !== 'ADMIN';
        if (isRefused) expectRefusal(operation, answer, 403, 'permission_denied');
        else {
          expect({ text: answer.text, status: answer.status }).toEqual({
            text: answer.text,
            status: operation.status,
          });
          if (operation.stream !== true) expectContract(operation, answer);
        }
      } else {
        expectRefusal(operation, answer, 403, 'permission_denied');
        expect(answer.json.error?.details).toMatchObject([{ permission: access }]);
      }
    }
  });

  if (needsKey(operation))
    it('requires credentials', async () => {
      const request = await goodRequest(operation, owner);
      const body = 'body' in request ? { body: JSON.stringify(request.body) } : {};
      const answer = await send(environment.api, operation.method, targetOf(operation, request), {
        headers: { 'content-type': 'application/json' },
        ...body,
      });
      expectRefusal(operation, answer, 401, 'authentication_required');
    });

  it('returns the same at its legacy path; that response names the current path', async () => {
    const request = await goodRequest(operation, owner);
    const alias = { ...operation, path: operation.path.slice('/v1'.length) as Operation['path'] };
    const answer = await perform(alias, owner, request);
    expect({ text: answer.text, status: answer.status }).toEqual({
      text: answer.text,
      status: operation.status,
    });
    expect(answer.headers.deprecation).toMatch(/^@\d+$/);
    const successor = `/v1${targetOf(alias, { ...request, query: {} })}`;
    expect(answer.headers.link).toBe(`<${successor}>; rel="successor-version"`);
    if (operation.stream !== true) expectContract(operation, answer);
  });

  it('row 12: rejects an unknown query parameter', async () => {
    const request = await goodRequest(operation, owner);
    const answer = await perform(operation, owner, {
      ...request,
      query: { ...request.query, surprise: '1' },
    });
    expectRefusal(operation, answer, 400, 'invalid_query');
    expect(answer.json.error?.details).toMatchObject([{ field: 'surprise', code: 'unknown_parameter' }]);
  });

  if (operation.method !== 'GET')
    it('rejects unknown body fields', async () => {
      const request = await goodRequest(operation, owner);
      const unassignable = NOT_ASSIGNABLE.filter((name) => !(name in (operation.body?.shape ?? {})));
      for (const name of ['surprise', ...unassignable]) {
        const body = { ...(request.body as object | undefined), [name]: 'x' };
        const answer = await perform(operation, owner, { ...request, body });
        expectRefusal(operation, answer, 422, 'validation_failed');
        expect(answer.json.error?.details).toContainEqual(
          expect.objectContaining({ field: name, code: 'unknown_field' }),
        );
      }
    });

  for (const place of idLocations(operation)) {
    it(`returns not_found for an unknown, malformed or foreign id in ${place.part} ${place.name}`, async () => {
      const request = await goodRequest(operation, owner);
      const unknown = await perform(operation, owner, place.put(request, unknownId(place.prefix)));
      expectRefusal(operation, unknown, 404, 'not_found');
      if (place.part !== 'params')
        expect(unknown.json.error?.details).toMatchObject([{ field: place.field, code: 'not_found' }]);
      for (const id of malformedIds(place.prefix)) {
        const malformed = await perform(operation, owner, place.put(request, id));
        expect({ id, ...wordsOf(malformed) }).toEqual({ id, ...wordsOf(unknown) });
      }
      if (!isOwned(place.prefix)) return;
      const theirs =
        place.read(await goodRequest(operation, stranger)) ?? (await stranger.idOf(place.prefix));
      const foreign = await perform(operation, owner, place.put(request, theirs));
      expect(wordsOf(foreign)).toEqual(wordsOf(unknown));
    });
  }
});
