export * from './sealing.js';
export { openingKeysSetting, sealingKeySetting } from './settings.js';
