import { TextArea } from '../../kit/text-area.tsx';
import { useText } from '../../lib/i18n.ts';
import type { ReadSettings } from './read-settings.ts';

interface JsonEditorProps {
  json: string;
  read: ReadSettings;
  onChange: (json: string) => void;
}

/** The same settings as text, with what only the text has: headers, TLS in detail, patience. */
export function JsonEditor({ json, read, onChange }: JsonEditorProps) {
  const text = useText('settings');
  const isBroken = 'problem' in read;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor="settings-json" className="text-table font-medium">
        {text('json.label')}
      </label>
      <TextArea
        id="settings-json"
        value={json}
        spellCheck={false}
        aria-invalid={isBroken || undefined}
        aria-describedby="settings-json-problem"
        onChange={(event) => onChange(event.target.value)}
        className="min-h-[24rem] font-mono text-table!"
      />
      <p id="settings-json-problem" role="status" className="text-table text-failed">
        {isBroken
          ? read.problem === 'syntax'
            ? text('json.syntax', { message: read.message })
            : text('json.shape')
          : ''}
      </p>
    </div>
  );
}
