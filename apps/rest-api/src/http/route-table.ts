/**
 * Finds operations by path. Each operation has a path under `/v1` and a legacy alias without the prefix.
 *
 * 1. Paths are compared byte for byte in the normal form of `runtime/http`: unreserved characters are decoded, as RFC 9110
 *    requires. There is no case folding, no decoding of other characters, no merging of slashes, no trailing slash.
 * 2. Every response at an alias, errors included, names the path that replaces the alias.
 */
import { DomainError, type Operation, REMOVED_NAMESPACES } from '@trading-automation/contracts';

export const PREFIX = '/v1';
/** Deprecation date of the unprefixed paths: 2026-01-01 in the format of RFC 9745. */
const DEPRECATED_SINCE = '@1767225600';

type Headers = Readonly<Record<string, string>>;

/** A path that serves one or more operations. */
export interface RoutePath {
  /** The path, with parameters as `:name`. */
  readonly path: string;
  readonly isAlias: boolean;
  /** Returns the decoded parameter values, or null if the path does not match. */
  match(path: string): Readonly<Record<string, string>> | null;
}

/** Returns the path of a request target, without the query. */
export function pathOf(target: string): string {
  const at = target.indexOf('?');
  return at < 0 ? target : target.slice(0, at);
}

/** Returns the path under `/v1` of a path or of its legacy alias. */
export function versionedPath(path: string): string {
  return path.startsWith(`${PREFIX}/`) ? path : PREFIX + path;
}

/** Returns the legacy alias of a path under `/v1`; an alias is returned unchanged. */
export function aliasOf(path: string): string {
  return path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path;
}

/** Returns the path and the legacy alias of an operation. */
export function pathsOf({ path }: Operation): readonly [RoutePath, RoutePath] {
  return [routePath(path, false), routePath(path.slice(PREFIX.length), true)];
}

function routePath(path: string, isAlias: boolean): RoutePath {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  if (names.length === 0) return { path, isAlias, match: (requested) => (requested === path ? {} : null) };
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`);
  const match = (requested: string) => {
    const values = pattern.exec(requested);
    return values && Object.fromEntries(names.map((name, i) => [name, decode(values[i + 1]!)]));
  };
  return { path, isAlias, match };
}

/** Decodes a parameter value. Returns a value with invalid escapes unchanged; such a value matches no record. */
function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Escapes the characters of a path that a header must not contain. */
export function headerSafe(path: string): string {
  return path.replace(/[^\w./~%:@!$&'()*+,;=-]/g, encodeURIComponent);
}

/** Returns the deprecation headers of a response at a legacy alias. `path` is the path of the request. */
export function aliasHeaders(path: string): Headers {
  return { deprecation: DEPRECATED_SINCE, link: `<${headerSafe(PREFIX + path)}>; rel="successor-version"` };
}

/** The error of a request that matches no operation, with its headers. */
export interface RouteError {
  readonly error: DomainError;
  readonly headers: Headers;
}

export class RouteTable {
  private readonly entriesByPath = new Map<string, { path: RoutePath; methods: string[] }>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      for (const path of pathsOf(operation)) {
        const entry = this.entriesByPath.get(path.path) ?? { path, methods: [] };
        entry.methods.push(...(operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]));
        this.entriesByPath.set(path.path, entry);
      }
    }
  }

  /** Returns every method that a path of this server has, for `OPTIONS *`. */
  allMethods(): string {
    const methods = [...this.entriesByPath.values()].flatMap((entry) => entry.methods);
    return [...new Set([...methods, 'OPTIONS'])].join(', ');
  }

  /** Returns the methods of a path for the `Allow` header; empty if the path does not exist. */
  allowed(path: string): readonly string[] {
    return [...new Set(this.matching(path).flatMap(({ methods }) => methods))];
  }

  /** Returns the error for a request that matches no operation. */
  errorFor(target: string): RouteError {
    const path = pathOf(target);
    const matches = this.matching(path);
    const [first] = matches;
    if (first !== undefined) {
      const allow = [...this.allowed(path), 'OPTIONS'].join(', ');
      const alias = first.path.isAlias ? aliasHeaders(path) : {};
      return { error: new DomainError('method_not_allowed'), headers: { allow, ...alias } };
    }
    return { error: new DomainError(isRemoved(path) ? 'namespace_removed' : 'route_not_found'), headers: {} };
  }

  private matching(path: string) {
    return [...this.entriesByPath.values()].filter((entry) => entry.path.match(path) !== null);
  }
}

function isRemoved(path: string): boolean {
  return REMOVED_NAMESPACES.some((namespace) =>
    [namespace, namespace.slice(PREFIX.length)].some((root) => path === root || path.startsWith(`${root}/`)),
  );
}
