import { Columns3 } from 'lucide-react';
import { IconButton } from '../../../kit/button.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { useText } from '../../../lib/i18n.ts';
import { useSession } from '../../../lib/session.ts';
import { optionalColumns, useShownColumns } from './shown-columns.ts';

/** Shows and hides columns. Only administrators see tasks of several users. */
export function ColumnMenu() {
  const text = useText('tasks');
  const { isAdmin } = useSession();
  const { shown, show } = useShownColumns();
  const offered = optionalColumns.filter((name) => name !== 'owner' || isAdmin);
  const label = text('column.choose');
  return (
    <Menu
      label={label}
      trigger={<IconButton label={label} icon={<Columns3 size={16} strokeWidth={1.75} aria-hidden />} />}
      items={offered.map((name) => ({
        label: text(`column.${name}`),
        checked: shown.has(name),
        onSelect: () => show(name, !shown.has(name)),
      }))}
    />
  );
}
