export * from './sealing.js';
export { openingKeysSetting, sealingKeySetting } from './sealing-settings.js';
