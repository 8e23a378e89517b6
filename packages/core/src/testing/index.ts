export { createCoreDatabase } from './core-database.js';
export { CoreUnderTest, type RecordIds } from './core-under-test.js';
export { countStatements } from './count-statements.js';
export { OPEN_WITHDRAWAL_POLICY } from './withdrawal-policy.js';
