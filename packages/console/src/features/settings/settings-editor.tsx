import type { Settings } from '@switchyard/contract/dispatch/settings';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { useText } from '../../lib/i18n.ts';
import { settingsChanges } from './changes/settings-changes.ts';
import { FaultSummary } from './form/fault-summary.tsx';
import { SettingsForm } from './form/settings-form.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { type ReadSettings, readSettings, writeSettings } from './read-settings.ts';
import { SaveDialog } from './save-dialog.tsx';
import { useSaveSettings } from './use-save-settings.ts';

/** Form and JSON side by side; both edit the same text. */
export function SettingsEditor({ settings }: { settings: Settings }) {
  const text = useText('settings');
  const [json, setJson] = useState(() => writeSettings(settings));
  const [isSaving, setSaving] = useState(false);
  const read = readSettings(json);
  const draft = 'settings' in read ? read.settings : null;
  const changes = draft ? settingsChanges(settings, draft) : [];
  const save = useSaveSettings(settings, () => setSaving(false));
  return (
    <div className="flex flex-col gap-4">
      <FaultSummary faults={save.faults} other={save.other} />
      <div className="grid gap-6 lg:grid-cols-2">
        <div className="min-w-0">
          {draft ? (
            <SettingsForm
              settings={draft}
              faults={save.faults}
              onChange={(next) => setJson(writeSettings(next))}
            />
          ) : (
            <p className="text-body text-text-2">{text('json.fixFirst')}</p>
          )}
        </div>
        <JsonEditor json={json} read={read} onChange={setJson} />
      </div>
      <div className="sticky bottom-14 short:static flex flex-wrap items-center gap-2 border-t border-border bg-bg py-3 md:bottom-0">
        <Button
          variant="solid"
          disabled={changes.length === 0 || save.isBusy}
          onClick={() => setSaving(true)}
        >
          {text('save.review', { count: changes.length })}
        </Button>
        <Button disabled={json === writeSettings(settings)} onClick={() => setJson(writeSettings(settings))}>
          {text('save.discard')}
        </Button>
      </div>
      {draft ? (
        <SaveDialog
          open={isSaving && save.conflict === null}
          changes={changes}
          isBusy={save.isBusy}
          onClose={() => setSaving(false)}
          onSave={() => save.save(draft, settings.version)}
        />
      ) : null}
      {draft && save.conflict ? (
        <MergeDialog
          key={save.conflict.version}
          base={settings}
          mine={draft}
          theirs={save.conflict}
          isBusy={save.isBusy}
          onClose={save.leaveConflict}
          onSave={save.save}
        />
      ) : null}
    </div>
  );
}

/** The same settings as text, with what only the text has: headers, TLS in detail, patience. */
function JsonEditor({
  json,
  read,
  onChange,
}: {
  json: string;
  read: ReadSettings;
  onChange: (json: string) => void;
}) {
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
