export { createCoreDatabase } from './core-database.js';
export { CoreUnderTest, type Named } from './core-under-test.js';
