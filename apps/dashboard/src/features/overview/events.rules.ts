/** Events in words. */
import { wordsOf } from '../../format/words';

export interface ShownEvent {
  readonly event_id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
}

export interface EventWords {
  readonly title: string;
  readonly detail: string;
  readonly href: string | undefined;
}

const TITLES: Readonly<Record<string, string>> = {
  'trade.created': 'Order placed',
  'trade.partially_filled': 'Order partly filled',
  'trade.filled': 'Order filled',
  'trade.cancelled': 'Order cancelled',
  'trade.failed': 'Order failed',
  'trade.closed': 'Trade closed',
  'copier.trade_skipped': 'Signal skipped',
  'copier.exit_delayed': 'Exit delayed',
  'exchange.synced': 'Account synced',
  'exchange.sync_failed': 'Sync failed',
  'exchange.credentials_rejected': 'Credentials rejected',
  'exchange.permissions_changed': 'Account rights changed',
  'trade_pair.deactivated': 'Pair deactivated',
  'funding.paid': 'Funding paid or received',
  'position.opened': 'Position opened',
  'position.changed': 'Position changed',
  'position.closed': 'Position closed',
  'position.margin_call': 'Margin is low',
  'position.liquidated': 'Position liquidated',
  'key.created': 'API key created',
  'key.revoked': 'Key revoked',
};

/** Returns what an event says and where its record is. The data of an event type of a later release may be anything. */
export function describeEvent({ type, data }: ShownEvent): EventWords {
  const title = TITLES[type] ?? wordsOf(type);
  const field = (name: string): string | undefined => {
    const value: unknown = Object(data)[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const id = field('id');
  const subject = type.slice(0, type.indexOf('.'));
  if (subject === 'trade') {
    const base = field('symbol')?.split('/')[0];
    const side = field('side') === 'SELL' ? 'Sell' : 'Buy';
    return {
      title,
      detail: `${side} ${field('amount') ?? ''} ${base ?? ''}`.trim(),
      href: id === undefined ? undefined : `/trades/${id}`,
    };
  }
  const pages: Readonly<Record<string, string | undefined>> = {
    copier: hrefOf('/copiers', field('copier_id') ?? id),
    exchange: hrefOf('/exchanges', id),
    webhook: hrefOf('/developers/webhooks', id),
    strategy: hrefOf('/strategies', id),
    position: '/positions',
    withdrawal: '/withdrawals',
    reward: '/rewards',
    key: '/developers/api-keys',
    public_key: '/developers/identities',
  };
  const code = field('code');
  const reason = code === undefined ? undefined : wordsOf(code);
  const detail =
    field('account_name') ??
    field('name') ??
    (subject === 'trade_pair' ? field('symbol') : undefined) ??
    reason ??
    field('url') ??
    field('label');
  return { title, detail: detail ?? '', href: pages[subject] };
}

const hrefOf = (page: string, id: string | undefined) => (id === undefined ? page : `${page}/${id}`);

/** Merges live events with loaded ones: newest first, each once, at most `max`. */
export function mergeEvents<E extends ShownEvent>(
  live: readonly E[],
  loaded: readonly E[],
  max: number,
): E[] {
  const byId = new Map([...live, ...loaded].map((event) => [event.event_id, event]));
  return [...byId.values()].sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1)).slice(0, max);
}
