import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/** @typedef {import('oxc-parser').Node & Record<string, any>} Node */
/** @typedef {{ file: string, text: string, program: Node }} Source */

/** @type {Map<string, Source>} */
const sources = new Map();

/**
 * Parses a TypeScript file. The result is cached.
 * @param {string} file absolute
 * @returns {Source}
 */
export function sourceOf(file) {
  let source = sources.get(file);
  if (source === undefined) {
    const text = readFileSync(file, 'utf8');
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
    source = { file, text, program: /** @type {Node} */ (program) };
    sources.set(file, source);
  }
  return source;
}

/**
 * Calls `visit` for each node with its ancestors, the nearest first.
 * @param {Node} root
 * @param {(node: Node, ancestors: readonly Node[]) => void} visit
 */
export function walk(root, visit) {
  /** @type {(node: Node, ancestors: readonly Node[]) => void} */
  const enter = (node, ancestors) => {
    visit(node, ancestors);
    const inner = [node, ...ancestors];
    for (const child of childrenOf(node)) enter(child, inner);
  };
  enter(root, []);
}

/** @returns {Node[]} */
function childrenOf(/** @type {Node} */ node) {
  return Object.values(node)
    .flat()
    .filter((value) => typeof value === 'object' && value !== null && typeof value.type === 'string');
}

export const isFunction = (/** @type {Node} */ { type }) =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type);

/**
 * Returns the names that a pattern binds.
 * @param {Node | null} pattern
 * @returns {string[]}
 */
export function namesOf(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    case 'RestElement':
      return namesOf(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesOf);
    case 'ObjectPattern':
      return pattern.properties.flatMap((/** @type {Node} */ part) => namesOf(part.value ?? part));
    case 'TSParameterProperty':
      return namesOf(pattern.parameter);
    default:
      return [];
  }
}
