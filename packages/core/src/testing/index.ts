export { createCoreDatabase } from './core-database.js';
export { CoreUnderTest, type RecordIds } from './core-under-test.js';
export { countStatements } from './count-statements.js';
export { SPECIAL_IPV4, SPECIAL_IPV6 } from './special-addresses.js';
export { OPEN_WITHDRAWAL_POLICY } from './withdrawal-policy.js';
