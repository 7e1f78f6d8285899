import type { AnchorHTMLAttributes } from 'react';
import { Link } from 'wouter';
import { useCommandHint } from '../command-hint.tsx';
import { classes, focusRing } from '../parts/classes.ts';
import { opensRow } from './row-marks.ts';

interface RowLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  /** The command that shows the same in a terminal. */
  command: string;
}

/** The link that opens a row. */
export function RowLink({ command, className, ...link }: RowLinkProps) {
  const hint = useCommandHint(command);
  return <Link {...link} {...hint} {...opensRow} className={classes(focusRing, className)} />;
}
