export { createCoreDatabase } from './core-database.js';
