/** Makes words of a code: PENDING_CANCEL becomes "Pending cancel", and API becomes "API". */
export function wordsOf(code: string): string {
  const words = code
    .toLowerCase()
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/\bapi\b/g, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
