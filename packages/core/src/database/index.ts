/** Opens the database with every entity, and brings its schema to this release. Imported by entry points alone. */
export { migrate } from './data-source.js';
export { openPlatform } from './open-platform.js';
