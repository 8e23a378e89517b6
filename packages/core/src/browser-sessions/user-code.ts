import { randomInt } from 'node:crypto';
import { USER_CODE_LENGTH, USER_CODE_LETTERS } from '@trading-automation/contracts';

const GROUP = USER_CODE_LENGTH / 2;

/** Returns a random user code, as it is shown: `BCDF-GHJK`. */
export function newUserCode(): string {
  const letters = Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)],
  );
  return formatUserCode(letters.join(''));
}

/** Returns the code of a user's input in the form in which it is shown; null if it cannot be a code. */
export function parseUserCode(input: string): string | null {
  const letters = input.replace(/[\s-]/g, '').toUpperCase();
  const isCode =
    letters.length === USER_CODE_LENGTH && [...letters].every((letter) => USER_CODE_LETTERS.includes(letter));
  return isCode ? formatUserCode(letters) : null;
}

function formatUserCode(letters: string): string {
  return `${letters.slice(0, GROUP)}-${letters.slice(GROUP)}`;
}
