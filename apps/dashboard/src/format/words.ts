/** Makes words of a code: PENDING_CANCEL becomes "Pending cancel". */
export function wordsOf(code: string): string {
  const words = code.toLowerCase().replaceAll(/[_.]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
