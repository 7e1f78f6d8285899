import type { Page } from 'playwright-core';

/**
 * Returns the texts of the interface that the page shows only in part, with the element that cuts them. An ellipsis is not a fault
 * when the whole text is one pointer away, as the title of the element or of one around it.
 */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      // Accents mark what comes from the messages.
      if (!element || !/[À-žṀ-ỿƀ-ɏ]/.test(text) || !element.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      const cutting = cutterOf(element, box);
      if (cutting)
        found.push(
          `"${text.slice(0, 80)}" in <${cutting.tagName.toLowerCase()} class="${cutting.className}">`,
        );
    }
    return [...new Set(found)];

    function cutterOf(element: Element, box: DOMRect): Element | null {
      let around: Element | null = element;
      while (around && !cutsIn(around, box) && !showsAllOfIt(around)) around = around.parentElement;
      return around && cutsIn(around, box) && !isExcused(around) ? around : null;
    }

    /** What scrolls shows all of it in the end, and what is fixed lies over what is around it. */
    function showsAllOfIt(around: Element): boolean {
      const { position, overflowX, overflowY } = getComputedStyle(around);
      return position === 'fixed' || /auto|scroll/.test(overflowX + overflowY);
    }

    function isExcused(around: Element): boolean {
      const { position, textOverflow } = getComputedStyle(around);
      // What only screen readers get has no size.
      if (position === 'absolute' && around.clientWidth <= 1) return true;
      return textOverflow === 'ellipsis' && around.closest('[title]') !== null;
    }

    function cutsIn(around: Element, box: DOMRect): boolean {
      const { overflowX, overflowY } = getComputedStyle(around);
      const edge = around.getBoundingClientRect();
      const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
      const sideways = hides(overflowX) && (box.right > edge.right + 1 || box.left < edge.left - 1);
      return sideways || (hides(overflowY) && (box.bottom > edge.bottom + 2 || box.top < edge.top - 2));
    }
  });
}
