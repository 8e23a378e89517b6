/** What a process needs before its first feature. A closed list: config, logger, error answers, metrics, process life. */
export * from './config.js';
export * from './error-response.js';
export * from './logger.js';
export * from './metrics-server.js';
export * from './process.js';
