/** Values of parameters that determine SQL and that callers in other files pass, by function and parameter. */

const account = { kind: 'available', userId: '' };
const ofKinds = (/** @type {readonly string[]} */ kinds) => kinds.map((kind) => ({ kind, id: '' }));
/** A query with a value for every filter. */
const everyFilter = new Proxy({ include: [] }, { get: (target, key) => Reflect.get(target, key) ?? '1' });

/** A value for the parameters of a statement. It throws an error if it becomes part of the SQL. @type {object} */
const anything = new Proxy(() => undefined, {
  get: (_, key) => {
    if (key === Symbol.toPrimitive) throw new Error('its SQL contains a value that is read at run time');
    return key === Symbol.iterator ? () => [anything, anything].values() : anything;
  },
  apply: () => anything,
});

/** Entities that a function's callers hydrate from its rows. @type {Readonly<Record<string, string>>} */
export const HYDRATED_BY_CALLERS = {
  readOwnCopiersWithStats: 'CopierEntity',
  loadReadableWithMetrics: 'StrategyEntity',
};

/** @type {Readonly<Record<string, readonly unknown[]>>} */
const SAMPLES = {
  'deliveries.query': ['SUCCEEDED', 'FAILED', undefined].map((status) => ({
    event_id: '1',
    from: '1',
    status,
  })),
  'assertNotRevoked.kind,id': ofKinds(['api_key', 'public_key', 'session']).map((credential) => ({
    credential,
  })),
  'note.kind,id': ofKinds(['api_key', 'public_key']),
  'stopRunning.stop': [{ status: 'STOPPED', reason: null }],
  'readSequencedEvents.limit': [100],
  'findOrCreateAccount.account': [account, { kind: 'fees' }],
  'post.fact,subjectId,from,to,amount': [{ from: account, to: { kind: 'fees' }, amount: '1' }],
  'lockTrades.which,ackTimeoutMs': [{ which: 'all' }, { which: 'open' }],
};

/** The values of parameters with these names, in every function that SAMPLES does not list. */
const COMMON = /** @type {Readonly<Record<string, readonly unknown[]>>} */ ({
  actor: [{ userId: '', credential: { kind: 'api_key', id: '' } }],
  publicId: [anything],
  query: [everyFilter, { include: [] }],
});

/**
 * Returns the sample values of a parameter.
 * @param {string} parameter `<function>.<parameter names>`
 * @throws {Error} if the parameter has no sample values
 */
export function samplesOf(parameter) {
  if (parameter === 'awaited') return /** @type {readonly unknown[]} */ (anything);
  const samples = SAMPLES[parameter] ?? COMMON[parameter.split('.')[1] ?? ''];
  if (samples === undefined) throw new Error(`no sample value for ${parameter}`);
  return samples;
}
