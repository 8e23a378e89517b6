export * from './api-key.js';
