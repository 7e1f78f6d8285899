import { useText } from '../../../lib/i18n.ts';
import type { FieldFault } from '../use-save-settings.ts';
import { settingId } from './setting-id.ts';

/** Every fault that the gateway found, with a link to its field where the form has it. */
export function FaultSummary({ faults, other }: { faults: readonly FieldFault[]; other: string | null }) {
  const text = useText('settings');
  if (faults.length === 0 && other === null) return null;
  return (
    <div role="alert" className="rounded-card border border-failed bg-failed-tint p-3 text-body">
      <p className="font-medium">{other ?? text('faults', { count: faults.length })}</p>
      <ul className="mt-1 list-disc pl-5 empty:hidden">
        {faults.map(({ path, message }) => (
          <li key={`${path} ${message}`} className="break-words">
            <a
              href={`#${settingId(path)}`}
              className="text-accent underline"
              onClick={(event) => {
                event.preventDefault();
                const field =
                  document.getElementById(settingId(path)) ?? document.getElementById('settings-json');
                field?.scrollIntoView({ block: 'center' });
                field?.focus();
              }}
            >
              {path}
            </a>
            {`: ${message}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
