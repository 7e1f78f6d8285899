/** One line of the search: a page, an action, or a thing that was found. */
export interface PaletteEntry {
  id: string;
  /** What it is, in one word. */
  kind: string;
  label: string;
  href?: string;
  run?: () => void;
}
