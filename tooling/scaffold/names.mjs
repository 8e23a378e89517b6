/** @param {string} name */
export const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** @param {string} name */
export const kebabCase = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** @param {string} name */
export const pascalCase = (name) => {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
};

/** Converts `strategies` to `strategy`. @param {string} plural */
export const singularOf = (plural) => plural.replace(/ies$/, 'y').replace(/s$/, '');

/** Converts `tradePairs` to `trade pairs`. @param {string} name */
export const wordsOf = (name) => kebabCase(name).replaceAll('-', ' ');

/** @param {string} noun */
export const withArticle = (noun) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/**
 * Throws a TypeError if a name does not match the form of the names of operations or features.
 * @param {string | undefined} name
 * @param {RegExp} form
 */
export function assertName(name, form) {
  if (name === undefined || !form.test(name))
    throw new TypeError(
      `The name must match ${form.source}; got ${name}. Use a name like the existing ones.`,
    );
}
