import { createRequire } from 'node:module';

const pg = createRequire(new URL('../../packages/persistence/package.json', import.meta.url))('pg');

/**
 * A column of a statement's rows. `type` is the OID of its type; `kind` is the kind of value that the driver returns.
 * @typedef {{ name: string, kind: string, type: number }} Column
 */

const JSON_TYPES = [114, 3802];
/** The kind of value that the product's driver returns, by the OID of the type; values of other types are strings. */
const KINDS = new Map([
  [16, 'boolean'],
  ...[21, 23, 26, 700, 701].map((oid) => /** @type {const} */ ([oid, 'number'])),
  ...[1082, 1114, 1184].map((oid) => /** @type {const} */ ([oid, 'Date'])),
  ...JSON_TYPES.map((oid) => /** @type {const} */ ([oid, 'json'])),
  [17, 'Buffer'],
]);

/** Prepares statements without running them. */
export class Describer {
  /** @param {string} url */
  static async connect(url) {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query("SELECT oid::int FROM pg_type WHERE typcategory = 'A'");
    return new Describer(client, new Set(rows.map(({ oid }) => oid)));
  }

  /**
   * @param {{ query: Function, end: Function }} client
   * @param {ReadonlySet<number>} arrays the OIDs of all array types
   */
  constructor(client, arrays) {
    this.client = client;
    this.arrays = arrays;
  }

  /**
   * Returns the columns of a statement's rows.
   * @param {string} text
   * @returns {Promise<Column[]>}
   */
  describe(text) {
    return new Promise((resolve, reject) => {
      /** @type {Column[]} */
      let columns = [];
      const submittable = {
        submit: (/** @type {Record<string, Function>} */ connection) => {
          connection.parse({ name: '', text, types: [] });
          connection.describe({ type: 'S', name: '' });
          connection.sync();
        },
        handleRowDescription: (
          /** @type {{ fields: { name: string, dataTypeID: number }[] }} */ { fields },
        ) => {
          columns = fields.map(({ name, dataTypeID }) => ({
            name,
            type: dataTypeID,
            kind: this.kindOf(dataTypeID),
          }));
        },
        handleError: reject,
        handleReadyForQuery: () => resolve(columns),
        handleCommandComplete: () => {},
        handleDataRow: () => {},
        handleEmptyQuery: () => {},
        handlePortalSuspended: () => {},
      };
      this.client.query(submittable);
    });
  }

  kindOf(/** @type {number} */ oid) {
    return this.arrays.has(oid) ? 'object' : (KINDS.get(oid) ?? 'string');
  }

  close() {
    return this.client.end();
  }
}
