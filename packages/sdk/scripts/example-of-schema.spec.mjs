import { jsonSchemaOf, OPERATIONS } from '@trading-automation/contracts';
import { exampleOfSchema } from './example-of-schema.mjs';

/** @param {import('@trading-automation/contracts').Operation} operation */
const isValid = ({ response }) => {
  const { root, definitions } = jsonSchemaOf(response, 'output');
  return response.safeParse(exampleOfSchema(root, definitions)).success;
};

/** Strings with a pattern of their own need a fixture. */
const NEED_A_FIXTURE = ['auth.cliChallenge', 'auth.cliIdentity', 'publicKeys.list'];

it('the example of a response is valid, except where a string has a pattern of its own', () => {
  const invalid = OPERATIONS.filter((operation) => !isValid(operation)).map(({ id }) => id);
  expect(invalid).toEqual(NEED_A_FIXTURE);
});
