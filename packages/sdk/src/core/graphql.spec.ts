import { ERRORS } from '@trading-automation/contracts';
import { graphqlErrorOf, statusOf } from './graphql.js';

it('each error code has the same status as in REST', () => {
  for (const [code, { status }] of Object.entries(ERRORS))
    expect([code, statusOf(code)]).toEqual([code, status]);
});

it.each([undefined, 7, '', 'rate', 'a_code_of_tomorrow', 'not_found conflict'])(
  'an unknown code, %s, has the status of a GraphQL response with errors',
  (code) => expect(statusOf(code)).toBe(200),
);

it('only a result with errors is an error, even if the error is empty', () => {
  expect(graphqlErrorOf({ data: { a: 1 } })).toBeUndefined();
  expect(graphqlErrorOf({ data: null, errors: [] })).toBeUndefined();
  expect(graphqlErrorOf({ errors: [{}] })).toMatchObject({ code: 'unknown', status: 200, details: [] });
});
