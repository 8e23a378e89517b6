export { default } from './tooling/jest/preset.mjs';
