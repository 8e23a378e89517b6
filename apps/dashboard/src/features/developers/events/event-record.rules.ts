/** Members that name a record for a person, the first of them that exists. */
const NAMES = ['symbol', 'name', 'account_name', 'label', 'url', 'event_type', 'code', 'type'] as const;

/** Describes the record of an event in a few words, such as "BTC/USDT" and its state. */
export function recordText(data: object): string {
  const members = data as Readonly<Record<string, unknown>>;
  const { status, amount, currency } = members;
  const sum = typeof currency === 'string' && amount !== undefined ? `${amount} ${currency}` : undefined;
  const name = NAMES.map((member) => members[member]).find((value) => typeof value === 'string') ?? sum;
  const state = typeof status === 'string' ? status.toLowerCase().replaceAll('_', ' ') : undefined;
  return [name, state].filter((part) => part !== undefined && part !== '').join(', ');
}
