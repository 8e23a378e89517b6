export * from './sealing.js';
