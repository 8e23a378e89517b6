/** What a process needs before its first feature. A closed list: config, logger, error answers, process life. */
export * from './config.js';
export * from './errors.js';
export * from './logger.js';
export * from './process.js';
