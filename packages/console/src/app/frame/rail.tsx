import { Link, useLocation } from 'wouter';
import { useText } from '../../lib/i18n.ts';
import { useVisiblePages } from './visible-pages.ts';

/** The way to every page, at the side of the window. */
export function Rail() {
  const text = useText('app');
  const groups = useVisiblePages();
  const [path] = useLocation();
  return (
    <nav aria-label={text('rail.label')} className="w-58 shrink-0 border-r border-border p-3">
      {groups.map((group) => (
        <ul key={group[0]?.name} className="border-b border-border py-2 last:border-b-0">
          {group.map(({ name, icon: Icon }) => (
            <li key={name}>
              <Link
                href={`/${name}`}
                aria-current={path === `/${name}` || path.startsWith(`/${name}/`) ? 'page' : undefined}
                className="flex h-8 items-center gap-3 rounded-control px-2 text-body text-text-2 hover:bg-sunken aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text"
              >
                <Icon size={16} strokeWidth={1.75} aria-hidden />
                {text(`pages.${name}`)}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}
