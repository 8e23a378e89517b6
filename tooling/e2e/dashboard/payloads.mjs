/// <reference lib="dom" />
/**
 * Strings that a user could write to attack a reader. Where one is read as HTML, an element with `data-xss` appears; where it
 * is run, the page has the global variable `ran`. None is longer than 60 characters, the limit of the shortest field.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const PAYLOADS = {
  script: '<script data-xss>ran=1</script>',
  image: '<img data-xss src=//canary.invalid/i onerror=ran=1>',
  svg: '<svg data-xss onload=ran=1>',
  link: 'javascript:ran=1//<a data-xss href=javascript:ran=1>',
  'end of a script': '</script><script data-xss>ran=1</script>',
  attribute: `"'><b data-xss onmouseover=ran=1>`,
  template: ["{{constructor.constructor('ran=1')()}}$", '{ran=1}<%=7*7%>'].join(''),
  formula: '=HYPERLINK("//canary.invalid/?c","sum")',
  markdown: '[a](javascript:ran=1) ![b](//canary.invalid/m)',
};
export const TEXTS = Object.values(PAYLOADS);

/** A payload in the form of a symbol, which may contain no spaces. */
export const SYMBOL = '<svg/onload=ran=1>';

/**
 * Watches a page of a person for code that runs, elements that appear, requests that leave the dashboard, and dialogs. Call it
 * before the first page is opened.
 *
 * @param {import('./browser.mjs').Person} person
 * @param {string} base
 */
export async function watchForAttacks({ context, page, problems }, base) {
  /** @type {string[]} */
  const attacks = [];
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !/^(?:data|blob):/.test(url)) attacks.push(`request: ${url}`);
  });
  page.on('dialog', (dialog) => {
    attacks.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  await context.exposeFunction('reportAttack', (/** @type {string} */ text) => attacks.push(text));
  await context.addInitScript(() => {
    const report = (/** @type {string} */ text) => Object(globalThis).reportAttack(text);
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes)
          if (node instanceof Element && (node.matches('[data-xss]') || node.querySelector('[data-xss]')))
            report(`element: ${node.outerHTML.slice(0, 200)}`);
    }).observe(document, { childList: true, subtree: true });
    Object.defineProperty(globalThis, 'ran', { set: () => report('code ran') });
  });
  return {
    /** Returns what happened since the last call: attacks, and errors of the console, such as violations of the policy. */
    async take() {
      const links = await page.evaluate(() =>
        [...document.querySelectorAll('a[href], area[href], form[action], iframe')]
          .map((element) => element.getAttribute('href') ?? element.getAttribute('action') ?? 'frame')
          .filter(
            (address) =>
              !/^(?:\/(?![/\\])|#|\?|https:\/\/(?:www\.tradingview\.com\/|github\.com\/graphql\/graphiql)|blob:)/.test(
                address,
              ),
          ),
      );
      return [...attacks.splice(0), ...problems.splice(0), ...links.map((address) => `address: ${address}`)];
    },
  };
}
