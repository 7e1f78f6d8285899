export interface TitleCounts {
  running: number;
  /** Tasks that have failed since the user last looked at the tasks. */
  failed: number;
}

let page = '';
let counts: TitleCounts = { running: 0, failed: 0 };

/** The title of the window names the page and, before it, what is going on. */
export function titleOf(pageTitle: string, { running, failed }: TitleCounts): string {
  const marks = [running > 0 && `▶ ${running}`, failed > 0 && `✕ ${failed}`].filter(Boolean);
  return [marks.join(' '), pageTitle, 'Switchyard'].filter((part) => part !== '').join(' · ');
}

export function setPageTitle(title: string): void {
  page = title;
  document.title = titleOf(page, counts);
}

export function setTitleCounts(next: TitleCounts): void {
  counts = next;
  document.title = titleOf(page, counts);
}
