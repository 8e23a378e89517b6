/** What every process needs: configuration, logger, error responses, metrics, lifecycle. The list is closed. */
export * from './config.js';
export * from './error-response.js';
export * from './logger.js';
export * from './metrics-server.js';
export * from './process.js';
