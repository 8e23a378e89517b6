import { isFunction, namesOf, sourceOf, walk } from './syntax.mjs';

/** @typedef {import('./syntax.mjs').Node} Node */
/**
 * A call that sends a statement. `variants` is TypeScript code that evaluates, in its module, to an iterable of the
 * call's SQL.
 * @typedef {{ name: string, file: string, line: number, call: Node, ancestors: readonly Node[], variants: string,
 *   isTypeOrm: boolean, isSelection: boolean, isList: boolean }} Statement
 */

/** The position of the SQL among the arguments; `query` is a method of a manager, a data source or a connection. */
const SQL_ARGUMENT = { queryPrepared: 1, selectPrepared: 2, query: 0, page: 2 };
const METHODS = ['query', 'page'];

/**
 * Finds the calls that send SQL.
 * @param {string} file absolute
 * @returns {Statement[]}
 */
export function statementsOf(file) {
  const { program, text } = sourceOf(file);
  /** @type {Statement[]} */
  const statements = [];
  /** @type {Map<string, number>} */
  const counts = new Map();
  walk(program, (call, ancestors) => {
    if (call.type !== 'CallExpression') return;
    const method = call.callee.type === 'MemberExpression' ? call.callee.property.name : call.callee.name;
    const isMethod = call.callee.type === 'MemberExpression';
    if (!(method in SQL_ARGUMENT) || isMethod !== METHODS.includes(method)) return;
    const sql = call.arguments[SQL_ARGUMENT[/** @type {keyof typeof SQL_ARGUMENT} */ (method)]];
    if (sql === undefined) return;
    const owner = ownerOf(ancestors);
    const number = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, number);
    const scope = new Scope(program, text);
    const variants =
      method === 'selectPrepared'
        ? scope.iterable(ancestors, (of) => `\`SELECT \${(${of(call.arguments[1])}).text} \${${of(sql)}}\``, [
            call.arguments[1],
            sql,
          ])
        : scope.iterable(ancestors, (of) => of(sql), [sql]);
    statements.push({
      name: number === 1 ? owner : `${owner} (${number})`,
      file,
      line: text.slice(0, call.start).split('\n').length,
      call,
      ancestors,
      variants,
      isTypeOrm: method === 'query',
      isList: method === 'page',
      isSelection: method === 'selectPrepared',
    });
  });
  return statements;
}

/** Returns the name of the outermost named function or method around a node. */
function ownerOf(/** @type {readonly Node[]} */ ancestors) {
  const names = ancestors.flatMap((node) => {
    if (node.type === 'FunctionDeclaration') return [node.id?.name];
    if (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') return [node.key.name];
    if (node.type === 'VariableDeclarator' && isFunction(node.init ?? node)) return [node.id.name];
    return [];
  });
  return names.at(-1) ?? 'module';
}

/** Writes code that evaluates an expression of a function without calling the function. */
class Scope {
  /**
   * @param {Node} program
   * @param {string} text
   */
  constructor(program, text) {
    this.program = program;
    this.text = text;
    this.depth = 0;
  }

  /**
   * Returns the code of a node, with a placeholder for each awaited value, which is known only at run time.
   * @param {Node} node
   */
  codeOf(node) {
    let code = '';
    let position = node.start;
    walk(node, ({ type, start, end }) => {
      if (type !== 'AwaitExpression' || start < position) return;
      code += `${this.text.slice(position, start)}__samples('awaited')`;
      position = end;
    });
    return code + this.text.slice(position, node.end);
  }

  /**
   * Writes code for an iterable of the values of an expression: one value for each combination of values of the
   * parameters that the expression uses.
   * @param {readonly Node[]} ancestors
   * @param {(of: (node: Node) => string) => string} write
   * @param {readonly Node[]} parts the nodes that `write` uses
   * @returns {string}
   */
  iterable(ancestors, write, parts) {
    if (this.depth > 6) return UNRESOLVED('nested too deeply');
    this.depth++;
    /** @type {string[]} */
    const lines = [];
    const bound = new Set();
    for (const part of parts) this.bind(part, ancestors, lines, bound);
    this.depth--;
    const loops = lines.filter((line) => line.startsWith('for ')).length;
    return `(function* () { ${lines.join('\n')}\nyield ${write((part) => `(${this.codeOf(part)})`)};${' }'.repeat(loops)} }).call(__self)`;
  }

  /**
   * Adds the declarations of the local names that a node uses.
   * @param {Node} node
   * @param {readonly Node[]} ancestors
   * @param {string[]} lines
   * @param {Set<unknown>} bound
   */
  bind(node, ancestors, lines, bound) {
    /** @type {Set<string>} */
    const used = new Set();
    walk(node, (inner, outer) => {
      if (inner.type !== 'Identifier' || outer.some(({ type }) => type === 'AwaitExpression')) return;
      const [parent] = outer;
      const isName =
        (parent?.type === 'MemberExpression' && parent.property === inner && !parent.computed) ||
        (parent?.type === 'Property' && parent.key === inner && !parent.shorthand);
      if (!isName) used.add(inner.name);
    });
    for (const name of used) this.bindName(name, used, ancestors, lines, bound);
  }

  /**
   * @param {string} name
   * @param {ReadonlySet<string>} used
   * @param {readonly Node[]} ancestors
   * @param {string[]} lines
   * @param {Set<unknown>} bound
   */
  bindName(name, used, ancestors, lines, bound) {
    for (const [index, scope] of ancestors.entries()) {
      const outer = ancestors.slice(index);
      if (scope.type === 'BlockStatement' || scope.type === 'FunctionBody') {
        for (const statement of scope.body) {
          if (statement.type === 'FunctionDeclaration' && statement.id.name === name) {
            if (bound.has(statement)) return;
            bound.add(statement);
            this.bind(statement.body, outer, lines, bound);
            lines.push(`${this.codeOf(statement)};`);
            return;
          }
          if (statement.type !== 'VariableDeclaration') continue;
          for (const declarator of statement.declarations) {
            if (!namesOf(declarator.id).includes(name)) continue;
            if (bound.has(declarator)) return;
            bound.add(declarator);
            if (statement.kind !== 'const' || declarator.init === null) {
              lines.push(`${UNRESOLVED(`${name} is assigned`)};`);
              return;
            }
            this.bind(declarator.init, outer, lines, bound);
            lines.push(`const ${this.codeOf(declarator)};`);
            return;
          }
        }
      }
      if (scope.type === 'ForOfStatement' && scope.left.type === 'VariableDeclaration') {
        const [{ id }] = scope.left.declarations;
        if (namesOf(id).includes(name)) {
          if (bound.has(scope)) return;
          bound.add(scope);
          this.bind(scope.right, outer.slice(1), lines, bound);
          lines.push(`for (const ${this.codeOf(id)} of ${this.codeOf(scope.right)}) {`);
          return;
        }
      }
      if (!isFunction(scope)) continue;
      if (!scope.params.some((/** @type {Node} */ param) => namesOf(param).includes(name))) continue;
      const params = [...scope.params.entries()].filter(
        ([, param]) => !bound.has(param) && namesOf(param).some((each) => used.has(each)),
      );
      if (params.length === 0) return;
      for (const [, param] of params) bound.add(param);
      lines.push(...this.loopsOver(scope, params, outer.slice(1)));
      return;
    }
  }

  /**
   * Writes loops over all combinations of values of the parameters. The values of a parameter come from its type, the
   * calls in this file, its default, or samples.mjs.
   * @param {Node} fn
   * @param {[number, Node][]} params
   * @param {readonly Node[]} outer
   * @returns {string[]}
   */
  loopsOver(fn, params, outer) {
    const name = fn.id?.name ?? outer[0]?.id?.name ?? outer[0]?.key?.name;
    const parameters = params.map(([position, param]) => {
      const pattern = param.type === 'AssignmentPattern' ? param.left : param;
      const annotation = pattern.typeAnnotation?.typeAnnotation;
      return {
        position,
        target: this.text
          .slice(pattern.start, pattern.typeAnnotation?.start ?? pattern.end)
          .replace(/\?$/, ''),
        values: valuesOf(annotation === undefined ? '' : this.codeOf(annotation), this.codeOf(param)),
        fallback: param.type === 'AssignmentPattern' ? param.right : undefined,
        key: `${name}.${namesOf(param).join()}`,
      };
    });
    const typed = parameters.filter(({ values }) => values !== undefined);
    const others = parameters.filter(({ values }) => values === undefined);
    const loops = typed.map(({ target, values }) => `for (const ${target} of ${values}) {`);
    if (others.length === 0) return loops;
    /** @type {string[]} */
    const calls = [];
    walk(this.program, (call, ancestors) => {
      if (name === undefined || call.type !== 'CallExpression') return;
      if ((call.callee.name ?? call.callee.property?.name) !== name) return;
      if (call.callee.type === 'MemberExpression' && call.callee.object.type !== 'ThisExpression') return;
      const passedArguments = others.map(({ position, fallback }) => call.arguments[position] ?? fallback);
      const nodes = passedArguments.filter((node) => node !== undefined);
      const tuple = (/** @type {(node: Node) => string} */ of) =>
        `[${passedArguments.map((node) => (node === undefined ? 'undefined' : of(node))).join(', ')}]`;
      calls.push(`...${this.iterable(ancestors, tuple, nodes)}`);
    });
    if (calls.length > 0)
      return [
        ...loops,
        `for (const [${others.map(({ target }) => target).join(', ')}] of [${calls.join(', ')}]) {`,
      ];
    const single = others.map(({ target, fallback, key }) => {
      const values =
        fallback === undefined ? `__samples(${JSON.stringify(key)})` : `[${this.codeOf(fallback)}]`;
      return `for (const ${target} of ${values}) {`;
    });
    return [...loops, ...single];
  }
}

/** Writes the values of a parameter, if its type or its name determines them. @returns {string | undefined} */
function valuesOf(/** @type {string} */ type, /** @type {string} */ param) {
  if (/^(Tx|EntityManager)$/.test(type) || (type === '' && param === 'tx')) return '[__database.manager]';
  if (/^(Database|DataSource)$/.test(type)) return '[__database]';
  if (/Platform\b/.test(type)) return '[{ database: __database }]';
  if (type === 'boolean') return '[true, false]';
  if (/^('\w*( \w+)*')( \| '\w*( \w+)*')*$/.test(type)) return `[${type.replaceAll('|', ',')}]`;
  return undefined;
}

const UNRESOLVED = (/** @type {string} */ why) =>
  `__unresolved(${JSON.stringify(why.replaceAll('\n', ' '))})`;
