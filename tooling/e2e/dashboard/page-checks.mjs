/// <reference lib="dom" />
/** What is checked on every page in every state. */
import { AxeBuilder } from '@axe-core/playwright';

/** @typedef {import('./pages.mjs').DashboardPage} DashboardPage */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ theme: 'light' | 'dark', width: number }} Look */

export const NARROW = 360;
/** @type {readonly Look[]} */
export const LOOKS = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: NARROW },
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: NARROW },
];

/** Shows a page in a theme and a width. @param {Page} page @param {Look} look */
export async function show(page, { theme, width }) {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: width === NARROW ? 780 : 900 });
  // The page may not have begun yet, or has another theme until its next frame.
  if (page.url() !== 'about:blank')
    await page.waitForFunction((name) => document.documentElement.classList.contains(name), theme);
}

/**
 * Returns what is wrong with a page that is shown.
 *
 * @param {Page} page
 * @param {DashboardPage} dashboardPage
 * @returns {Promise<string[]>}
 */
export async function problemsOf(page, dashboardPage) {
  return [...(await violationsOf(page, dashboardPage)), ...(await overflowOf(page))];
}

/**
 * Returns what is wrong with the title and the heading of a page.
 *
 * @param {Page} page
 * @param {DashboardPage} dashboardPage
 */
export async function namesOf(page, { title, isNamed = false }) {
  const problems = [];
  // A page that a link leads to appears a moment before its title.
  await page.waitForFunction(() => document.title !== '');
  const shown = await page.title();
  const expected = title === '' ? 'Trading automation' : `${title} · Trading automation`;
  if (shown !== expected && !(isNamed && shown.endsWith(` · ${expected}`)))
    problems.push(`the title is “${shown}”`);
  const headings = await page.locator('h1').allTextContents();
  if (headings.length !== 1) problems.push(`it has ${headings.length} h1: ${headings.join(', ')}`);
  return problems;
}

/** @param {Page} page @param {DashboardPage} dashboardPage */
async function violationsOf(page, { exceptions = [] }) {
  // Rules of WCAG 2.2 are off by default. The legacy mode checks in the page itself, which has no frames.
  const { violations } = await new AxeBuilder({ page })
    .options({ rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .filter(
        ({ target }) =>
          !exceptions.some(({ rule, element }) => rule === id && String(target.join(' ')).includes(element)),
      )
      .map(
        ({ target, failureSummary = '' }) =>
          `${id}: ${target.join(' ')}: ${failureSummary.replaceAll(/\s+/g, ' ')}`,
      ),
  );
}

/** Returns whether the document can be scrolled sideways. @param {Page} page */
export async function overflowOf(page) {
  const { has, can } = await page.evaluate(() => ({
    has: document.documentElement.scrollWidth,
    can: document.documentElement.clientWidth,
  }));
  return has > can ? [`the document is ${has} px wide in a window of ${can} px`] : [];
}
