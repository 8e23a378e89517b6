import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEACTIVATION_FAILURES } from './deactivation.rules';

const root = join(import.meta.dirname, '../../../../../..');

it('is the number of failures that the service uses', () => {
  const rules = readFileSync(join(root, 'packages/core/src/webhooks/delivery.rules.ts'), 'utf8');
  expect(rules).toContain(`const DEACTIVATION_FAILURES = ${DEACTIVATION_FAILURES};`);
});
