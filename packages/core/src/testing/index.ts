export { createCoreDatabase } from './core-database.js';
export { CoreUnderTest, type Named } from './core-under-test.js';
export { statementsOf } from './statements-of.js';
