import type { LucideIcon } from 'lucide-react';
import { usePageAction } from '../../lib/page-actions.ts';
import { Button } from '../button.tsx';
import { useCommandHint } from '../command-hint.tsx';

/**
 * The button beside the title for the main action of a page, such as adding a row. The search offers the same action.
 */
export function PageButton({
  id,
  label,
  icon: Icon,
  command,
  onClick,
}: {
  /** Its name among the actions of the page. */
  id: string;
  label: string;
  icon: LucideIcon;
  command?: string;
  onClick: () => void;
}) {
  const hint = useCommandHint(command);
  usePageAction({ id, label, run: onClick });
  return (
    <Button
      {...hint}
      variant="solid"
      icon={<Icon size={16} strokeWidth={1.75} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
