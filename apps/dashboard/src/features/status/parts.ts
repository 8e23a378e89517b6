/** What each part of the service means for its user. */
export interface PartWords {
  readonly name: string;
  /** What works while it responds. */
  readonly meaning: string;
  /** What happens while it does not. */
  readonly consequence: string;
}

const PARTS: Readonly<Record<string, PartWords>> = {
  postgres: {
    name: 'Database',
    meaning: 'Keeps your trades, balances and settings.',
    consequence: 'Pages do not load and no order is accepted. Nothing that is stored is lost.',
  },
  redis: {
    name: 'Queue and limits',
    meaning: 'Counts requests and wakes the workers.',
    consequence: 'Requests are slower, and some are refused. Orders that were accepted stay stored.',
  },
  'signed-requests': {
    name: 'Signed requests',
    meaning: 'Checks the signatures of browsers and the command-line client.',
    consequence: 'Browsers and the command-line client are refused. API keys still work.',
  },
  'trading-worker': {
    name: 'Trading',
    meaning: 'Sends orders to exchanges, follows their fills, copies trades and grants rewards.',
    consequence: 'New orders wait and copies are late. Orders at exchanges stay open.',
  },
  'webhook-dispatcher': {
    name: 'Webhooks',
    meaning: 'Delivers events to your webhooks.',
    consequence: 'Events arrive late. None is lost: they are delivered when it responds again.',
  },
  'graphql-api': {
    name: 'Live data',
    meaning: 'Serves GraphQL and streams events to open pages.',
    consequence: 'Pages are updated when you reload them.',
  },
};

/** Describes a part; one of a later release by its own name. */
export function partWords(service: string): PartWords {
  return (
    PARTS[service] ?? {
      name: service,
      meaning: 'A part of the service.',
      consequence: 'Some functions may not work.',
    }
  );
}
