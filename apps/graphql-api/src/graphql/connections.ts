/**
 * Renders lists as connections. Pages are the same as in REST: same limits, sorts, filters and cursors.
 *
 * The cursor of each edge and the total are computed only if they are selected.
 */
import type { ListQuery, PageWithCursors } from '@trading-automation/core';

export interface ConnectionInput {
  readonly page: PageWithCursors<unknown>;
  readonly nodes: readonly unknown[];
  readonly query: ListQuery;
  readonly countAll: () => Promise<number>;
}

interface Edge {
  readonly node: unknown;
  readonly cursorAt: () => string;
}

export class Connection {
  constructor(private readonly input: ConnectionInput) {}

  get nodes(): readonly unknown[] {
    return this.input.nodes;
  }

  get edges(): readonly Edge[] {
    const { page, nodes } = this.input;
    return nodes.map((node, index) => ({ node, cursorAt: () => page.cursorAt(index) }));
  }

  get pageInfo() {
    const { page, nodes, query } = this.input;
    const last = nodes.length - 1;
    return {
      hasNextPage: page.pagination.has_more,
      hasPreviousPage: query.cursor !== undefined,
      startCursorAt: () => (last < 0 ? null : page.cursorAt(0)),
      endCursorAt: () => (last < 0 ? null : page.cursorAt(last)),
    };
  }

  totalCount(): Promise<number> {
    return this.input.countAll();
  }
}

/**
 * Returns the resolvers of a connection's types. Expensive fields are methods, so they are computed only if selected.
 */
export function connectionResolvers(item: string) {
  return {
    [`${item}Connection`]: {
      nodes: (connection: Connection) => connection.nodes,
      edges: (connection: Connection) => connection.edges,
      pageInfo: (connection: Connection) => connection.pageInfo,
      totalCount: (connection: Connection) => connection.totalCount(),
    },
    [`${item}Edge`]: { cursor: (edge: Edge) => edge.cursorAt() },
  };
}

type Info = Connection['pageInfo'];
export const PAGE_INFO_RESOLVERS = {
  PageInfo: {
    startCursor: (info: Info) => info.startCursorAt(),
    endCursor: (info: Info) => info.endCursorAt(),
  },
};
