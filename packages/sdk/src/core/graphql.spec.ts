import { ERRORS } from '@trading-automation/contracts';
import { graphqlErrorOf, statusOf } from './graphql.js';

it('each code has the status that REST has for it', () => {
  for (const [code, { status }] of Object.entries(ERRORS))
    expect([code, statusOf(code)]).toEqual([code, status]);
});

it.each([undefined, 7, '', 'rate', 'a_code_of_tomorrow', 'not_found conflict'])(
  'a code that is not known, %s, has the status of an answer with errors',
  (code) => expect(statusOf(code)).toBe(200),
);

it('a result without errors is no refusal; one with an error that says nothing is', () => {
  expect(graphqlErrorOf({ data: { a: 1 } })).toBeUndefined();
  expect(graphqlErrorOf({ data: null, errors: [] })).toBeUndefined();
  expect(graphqlErrorOf({ errors: [{}] })).toMatchObject({ code: 'unknown', status: 200, details: [] });
});
