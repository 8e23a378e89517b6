export * from './api-key.js';
export * from './redis-replay-window.js';
