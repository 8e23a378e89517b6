/**
 * Returns the fields of a recorded answer that an answer lacks or has with another JSON type. A recorded null says
 * nothing about the type. The first element of a recorded list stands for all of them.
 */
export function shapeDifferences(recorded: unknown, answer: unknown, path = ''): string[] {
  if (recorded === null) return [];
  const [wanted, got] = [typeOf(recorded), typeOf(answer)];
  if (wanted !== got) return [`${path || 'answer'}: ${wanted} was recorded, got ${got}`];
  if (Array.isArray(recorded)) {
    const rows = answer as unknown[];
    if (recorded.length === 0) return [];
    if (rows.length === 0) return [`${path || 'answer'}: the list is empty`];
    return recorded.every(isScalar)
      ? recorded.flatMap((value, index) => shapeDifferences(value, rows[index], `${path}[${index}]`))
      : shapeDifferences(recorded[0], rows[0], `${path}[0]`);
  }
  if (wanted !== 'object') return [];
  return Object.entries(recorded as object).flatMap(([name, value]) =>
    shapeDifferences(
      value,
      (answer as Record<string, unknown>)[name],
      path === '' ? name : `${path}.${name}`,
    ),
  );
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
