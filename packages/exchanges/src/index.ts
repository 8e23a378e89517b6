export * from './call-budget.js';
export * from './port.js';
