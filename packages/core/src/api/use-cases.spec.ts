import { OPERATIONS } from '@trading-automation/contracts';
import { USE_CASES } from './use-cases.js';

/** The ids of the operations for which each transport has its own handler. */
const BY_TRANSPORT = ['auth.cliIdentity', 'events.stream'];

it('every operation has exactly one use-case, or is handled by each transport', () => {
  const listed = USE_CASES.map(({ operation }) => operation.id);
  expect([...listed, ...BY_TRANSPORT].sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
});
