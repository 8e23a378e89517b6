import { join } from 'node:path';
import { findBannedWords } from './banned-words.mjs';

const root = join(import.meta.dirname, '..', '..');
const bannedWordsIn = (/** @type {string} */ file) =>
  findBannedWords(root, [`tooling/rules/fixtures/${file}`]).map(
    ({ line, word }) => `${line} ${word.toLowerCase()}`,
  );

describe('the language check', () => {
  it('finds banned words in comments and strings, but not in names and code', () => {
    expect(bannedWordsIn('banned-words.ts').sort()).toEqual([
      '1 hears of',
      '1 nobody',
      '1 tells',
      '2 in vain',
      '2 is away',
      '2 stands',
      '2 whoever',
    ]);
  });

  it('finds banned words in Markdown outside code', () => {
    expect(bannedWordsIn('banned-words.md').sort()).toEqual([
      '1 a text',
      '1 is none',
      '3 by itself',
      '3 mend',
      '3 told',
      '3 what it was',
      '3 whom',
    ]);
  });
});
