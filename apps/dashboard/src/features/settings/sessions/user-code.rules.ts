/** The code that another browser shows for its sign-in. */

const LENGTH = 8;
const GROUP = 4;

/** Formats what was typed as XXXX-XXXX. */
export function formatCode(text: string): string {
  const letters = lettersOf(text);
  return letters.length <= GROUP ? letters : `${letters.slice(0, GROUP)}-${letters.slice(GROUP)}`;
}

/** Returns the letters of a code, without hyphens and spaces. */
export function lettersOf(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
    .slice(0, LENGTH);
}

export const isComplete = (text: string) => lettersOf(text).length === LENGTH;
