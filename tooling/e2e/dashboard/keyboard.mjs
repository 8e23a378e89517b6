/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The dashboard by the keyboard alone. Every press checks that the focus can be seen and that nothing moves for long. */

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */

const TABS_MAX = 150;
/** The longest animation with reduced motion. */
const MOTION_MAX_MS = 10;
const SETTLE_MS = 2_000;

/**
 * Runs in the page. Returns what has the focus, and whether the reader sees that it has: by an outline of the element or of
 * its label, or by the look of the active item of a menu or list.
 */
function describeFocus() {
  const element = document.activeElement;
  if (element === null || element === document.body)
    return { name: 'the page', isVisible: true, isInteractive: false };
  const hasOutline = (/** @type {Element} */ each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  };
  const active = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
  const item = active ?? (element.getAttribute('role')?.startsWith('menuitem') ? element : null);
  const isMarked = item !== null && getComputedStyle(item).backgroundColor !== 'rgba(0, 0, 0, 0)';
  const label = element.closest('label');
  return {
    name: `${element.tagName} “${element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40)}”`,
    isVisible: hasOutline(element) || isMarked || (label !== null && hasOutline(label)),
    // After the last element of the page, Tab leads to the browser's own.
    isInteractive: document.hasFocus() && element instanceof HTMLElement && element.tabIndex >= 0,
  };
}

/** Runs in the page. Returns the animations and transitions that last longer than `maxMs`. @param {number} maxMs */
const longMotions = (maxMs) =>
  document
    .getAnimations()
    .filter(({ effect }) => Number(effect?.getComputedTiming().endTime ?? 0) > maxMs)
    .map(
      (animation) => `${animation.constructor.name} of ${animation.effect?.getComputedTiming().endTime} ms`,
    );

/**
 * Returns the keyboard of a person who has no mouse.
 *
 * @param {Page} page
 */
export function keyboardOf(page) {
  const check = async () => {
    // A menu marks its item just after it gives it the focus.
    const deadline = performance.now() + SETTLE_MS;
    let focus = await page.evaluate(describeFocus);
    while (focus.isInteractive && !focus.isVisible && performance.now() < deadline)
      focus = await page.evaluate(describeFocus);
    if (focus.isInteractive && !focus.isVisible) throw new Error(`the focus of ${focus.name} cannot be seen`);
    const motions = await page.evaluate(longMotions, MOTION_MAX_MS);
    if (motions.length > 0) throw new Error(`with reduced motion: ${motions.join(', ')}`);
  };
  /** @param {string} key */
  const press = async (key) => {
    await page.keyboard.press(key);
    await check().catch((error) => {
      // The key led to another page.
      if (!/context was destroyed/.test(String(error))) throw error;
    });
  };
  /** @param {Locator} target */
  const hasFocus = (target) =>
    target.evaluateAll(([element]) => element !== undefined && element === document.activeElement);

  /**
   * Presses Tab until the target has the focus.
   *
   * @param {Locator} target
   */
  async function tabTo(target) {
    await target.first().waitFor();
    for (let i = 0; i < TABS_MAX; i++) {
      if (await hasFocus(target.first())) return;
      await press('Tab');
    }
    throw new Error(`Tab does not reach ${target}`);
  }

  return {
    press,
    tabTo,
    /** Presses Enter on the target. @param {Locator} target */
    async enter(target) {
      await tabTo(target.first());
      await press('Enter');
    },
    /** Presses Space on the target, such as a checkbox. @param {Locator} target */
    async toggle(target) {
      await tabTo(target.first());
      await press('Space');
    },
    /**
     * Replaces the text of a field, or chooses the option of a select whose label begins with it.
     *
     * @param {Locator} target
     * @param {string} text
     */
    async write(target, text) {
      await tabTo(target.first());
      if ((await target.first().evaluate(({ tagName }) => tagName)) === 'INPUT') await press('Control+A');
      await page.keyboard.type(text);
      await check();
    },
    /** Presses the arrow until the target, such as an item of the open menu, has the focus. @param {Locator} target */
    async arrowTo(target, key = 'ArrowDown') {
      await target.first().waitFor();
      for (let i = 0; i < TABS_MAX; i++) {
        if (await hasFocus(target.first())) return;
        await press(key);
      }
      throw new Error(`${key} does not reach ${target}`);
    },
    /**
     * Resolves once the target has the focus, without a press of a key.
     *
     * @param {Locator} target
     */
    async untilFocused(target) {
      const deadline = performance.now() + 10_000;
      while (!(await hasFocus(target.first()))) {
        if (performance.now() > deadline) {
          const { name } = await page.evaluate(describeFocus);
          throw new Error(`${target} has no focus, but ${name} has it`);
        }
        await page.waitForTimeout(50);
      }
      await check();
    },
  };
}
