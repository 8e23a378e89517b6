export * from './sealing.js';
export { privateKeysSetting, publicKeySetting } from './sealing-settings.js';
