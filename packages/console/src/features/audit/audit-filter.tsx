import { useCallback } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { SearchInput } from '../../kit/forms/search-input.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { setQuery } from '../../lib/address.ts';
import { useOwnerNames } from '../../lib/data/owner-names.ts';
import { useText } from '../../lib/i18n.ts';
import { type AuditFilters, hasFilter, targetName } from './audit-query.ts';

/** Filters of the list; they stand in the address. */
export function AuditFilter({ filters, onClear }: { filters: AuditFilters; onClear: () => void }) {
  const text = useText('audit');
  const { actor, action, target, from, to } = filters;
  const userName = useOwnerNames({ isWanted: actor !== null || target !== null });
  const hint = useCommandHint('switchyard audit --from 7d');
  const setAction = useCallback((value: string) => setQuery({ action: value }), []);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SearchInput label={text('filter.action')} value={action ?? ''} onChange={setAction} />
      {(['from', 'to'] as const).map((name) => (
        <label key={name} htmlFor={`audit-${name}`} className="flex items-center gap-2 text-table">
          {text(`filter.${name}`)}
          <TextInput
            id={`audit-${name}`}
            type="date"
            value={{ from, to }[name] ?? ''}
            onChange={(event) => setQuery({ [name]: event.target.value })}
            className="w-40"
          />
        </label>
      ))}
      {actor !== null && (
        <span className="self-center text-table">{text('filter.actor', { actor: userName(actor) })}</span>
      )}
      {target !== null && (
        <span className="self-center text-table break-all">
          {text('filter.target', { target: targetName(target, {}, userName) })}
        </span>
      )}
      {hasFilter(filters) && (
        <Button {...hint} variant="plain" onClick={onClear}>
          {text('filter.clear')}
        </Button>
      )}
    </div>
  );
}
