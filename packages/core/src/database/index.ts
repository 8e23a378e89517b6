/** Opens the database with every entity, and migrates its schema. Only entry points import this folder. */
export { migrate } from './data-source.js';
export { openPlatform } from './open-platform.js';
