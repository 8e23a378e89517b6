import { proseFiles, proseOf } from './prose.mjs';

/**
 * Words that readers stumble over, and what to write instead. If a word is wrong in only one of its meanings, the
 * pattern matches only that meaning.
 */
const BANNED_WORDS = [
  { pattern: /\btells?\b|\btold\b|\btelling\b/i, instead: 'says, reports, returns, emits, notifies' },
  { pattern: /\bis none\b/i, instead: 'is not one, is invalid, does not exist' },
  { pattern: /\bnobody\b/i, instead: 'no one, no caller, no process' },
  { pattern: /\bwho(?:so)?ever\b/i, instead: 'the caller, any process that' },
  { pattern: /\bhears? of\b|\bheard of\b|\bhearing of\b/i, instead: 'learns of, receives' },
  { pattern: /\bwhat it was\b/i, instead: 'the previous value' },
  { pattern: /\bby (?:itself|themselves)\b/i, instead: 'automatically, alone' },
  { pattern: /\b(?:is|are|was|were) away\b/i, instead: 'is unavailable' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix, repair, resolution' },
  { pattern: /\bwhom(?:ever)?\b/i, instead: 'name the person or process' },
  { pattern: /\ba text\b/i, instead: 'a string' },
  { pattern: /\bstands?\b(?! (?:for|by)\b)|\bstood\b/i, instead: 'is, is defined, remains, holds' },
  { pattern: /\bin vain\b/i, instead: 'without success' },
];

/** @typedef {{ file: string, line: number, word: string, instead: string }} BannedWord */

/**
 * Finds banned words in the prose of a repository.
 * @param {string} root absolute
 * @param {readonly string[]} [files] relative to the root; all hand-written files by default
 * @returns {BannedWord[]}
 */
export function findBannedWords(root, files = proseFiles(root)) {
  return files.flatMap((file) =>
    proseOf(root, file).flatMap(({ line, text }) =>
      BANNED_WORDS.flatMap(({ pattern, instead }) =>
        [...text.matchAll(new RegExp(pattern, 'gi'))].map((match) => ({
          file,
          line: line + (text.slice(0, match.index).match(/\n/g)?.length ?? 0),
          word: match[0],
          instead,
        })),
      ),
    ),
  );
}
