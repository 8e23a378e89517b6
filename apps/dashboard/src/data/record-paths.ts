const PATHS: Readonly<Record<string, (id: string) => string>> = {
  api_key: () => '/developers/api-keys',
  copier: (id) => `/copiers/${id}`,
  decision: () => '/copiers',
  exchange_account: () => '/exchanges',
  position: () => '/positions',
  public_key: () => '/developers/identities',
  reward: () => '/rewards',
  strategy: (id) => `/strategies/${id}`,
  trade: (id) => `/trades/${id}`,
  webhook: (id) => `/developers/webhooks/${id}`,
  withdrawal: (id) => `/withdrawals/${id}`,
};

/** Returns the page that shows a record; undefined if no page does. */
export function recordPath(kind: string, id: string): string | undefined {
  return PATHS[kind]?.(id);
}
