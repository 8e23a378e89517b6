/**
 * The base of every process: configuration, logger, error responses, metrics and lifecycle. Nothing
 * else belongs here.
 */
export * from './config.js';
export { failStart, reportCrashes } from './crash-reports.js';
export * from './error-response.js';
export * from './logger.js';
export * from './metrics-server.js';
export * from './process.js';
