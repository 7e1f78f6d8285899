import type { ReactNode } from 'react';
import { classes } from '../parts/classes.ts';

export interface Column<Row> {
  id: string;
  header: string;
  /** The header is for screen readers alone. */
  hideHeader?: boolean;
  /** The first column has the link to the row. */
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** The width as CSS; without one the columns share what is left. */
  width?: string;
  /** Its cells need no cutting, or do it themselves. A long list scrolls more easily with fewer cells that are cut. */
  fits?: boolean;
  /** Says what it is by itself, so that cards show no name beside it. */
  nameless?: boolean;
  /** Its text may take several lines, so that cards give it a line of its own. */
  isLong?: boolean;
  /** Left out on cards. */
  tableOnly?: boolean;
  /** Left out while the window is narrower than 64 rem. */
  wideOnly?: boolean;
}

export interface Selection {
  chosen: ReadonlySet<string>;
  onChoose: (key: string, chosen: boolean) => void;
  onChooseAll: (chosen: boolean) => void;
  nameOf: (key: string) => string;
}

/** The classes that the head and the cells of a column have in common. */
export function columnLook({ align, wideOnly }: Pick<Column<never>, 'align' | 'wideOnly'>): string {
  return classes(align === 'end' && 'text-right! tabular-nums', wideOnly && 'hidden lg:table-cell');
}
