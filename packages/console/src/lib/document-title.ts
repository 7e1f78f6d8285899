export interface TitleCounts {
  running: number;
  /** Tasks that have failed since the user last looked at the tasks. */
  failed: number;
}

/** The title of the page, and the address that it was given at. */
interface PageTitle {
  title: string;
  path: string;
}

let page: PageTitle = { title: '', path: '' };
const listeners = new Set<() => void>();
let counts: TitleCounts = { running: 0, failed: 0 };

/** The title of the window names the page and, before it, what is going on. */
export function documentTitle(pageTitle: string, { running, failed }: TitleCounts): string {
  const marks = [running > 0 && `▶ ${running}`, failed > 0 && `✕ ${failed}`].filter(Boolean);
  return [marks.join(' '), pageTitle, 'Switchyard'].filter((part) => part !== '').join(' · ');
}

export function setPageTitle(title: string): void {
  page = { title, path: window.location.pathname };
  document.title = documentTitle(title, counts);
  for (const listener of listeners) listener();
}

export function pageTitle(): PageTitle {
  return page;
}

/** Calls the listener with each new title. Returns what ends that. */
export function listenToPageTitle(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setTitleCounts(next: TitleCounts): void {
  counts = next;
  document.title = documentTitle(page.title, counts);
}
