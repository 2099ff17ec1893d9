const reachable = 'a[href], button:not(:disabled), textarea, audio[controls], video[controls], [tabindex="0"]';

/** Tab goes round inside an element: behind its last part comes its first. */
export function keepFocusInside(element: HTMLElement, event: KeyboardEvent): void {
  const parts = [...element.querySelectorAll<HTMLElement>(reachable)];
  const from = event.shiftKey ? parts[0] : parts.at(-1);
  if (activeIn(element) !== from) return;
  event.preventDefault();
  (event.shiftKey ? parts.at(-1) : parts[0])?.focus();
}

/** What has the focus in the shadow tree of an element. */
export const activeIn = (element: HTMLElement): Element | null => (element.getRootNode() as ShadowRoot).activeElement;
