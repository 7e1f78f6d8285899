import type { Settings, SettingsInput } from '@switchyard/contract/dispatch/settings';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { useText } from '../../lib/i18n.ts';
import { pathText, valueText } from './changes/change-text.ts';
import { mergeSettings, type Side } from './changes/merge-settings.ts';
import { type Change, settingsChanges } from './changes/settings-changes.ts';
import { FaultSummary } from './form/fault-summary.tsx';
import { SettingsForm } from './form/settings-form.tsx';
import { type ReadSettings, readSettings, writeSettings } from './read-settings.ts';
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
          isBusy={save.isBusy}
          disabled={changes.length === 0}
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

interface MergeDialogProps {
  base: SettingsInput;
  mine: SettingsInput;
  theirs: Settings;
  isBusy: boolean;
  onClose: () => void;
  onSave: (merged: SettingsInput, version: number) => void;
}

/** Joins both changes when somebody else has saved meanwhile, and asks where both have changed the same value. */
function MergeDialog({ base, mine, theirs, isBusy, onClose, onSave }: MergeDialogProps) {
  const text = useText('settings');
  const { conflicts, resolve } = mergeSettings({ base, mine, theirs });
  const [sides, setSides] = useState<readonly Side[]>(() => conflicts.map(() => 'mine'));
  const choose = (index: number, side: Side) =>
    setSides(sides.map((each, at) => (at === index ? side : each)));
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('merge.title')}
      wide
      actions={
        <>
          <Button onClick={onClose}>{text('merge.back')}</Button>
          <Button variant="solid" isBusy={isBusy} onClick={() => onSave(resolve(sides), theirs.version)}>
            {text('merge.submit')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-body">
        {text('merge.text', { version: theirs.version, count: conflicts.length })}
      </p>
      <div className="flex flex-col gap-4">
        {conflicts.map(({ path, mine: own, theirs: other }, index) => (
          <fieldset key={path.join('\n')} className="flex flex-col gap-1">
            <legend className="text-table font-medium break-words">{pathText(path)}</legend>
            {(['mine', 'theirs'] as const).map((side) => (
              <label
                key={side}
                className="flex min-h-8 items-center gap-2 text-table pointer-coarse:min-h-11"
              >
                <input
                  type="radio"
                  name={path.join('.')}
                  checked={sides[index] === side}
                  onChange={() => choose(index, side)}
                  className="size-4 accent-(--accent-solid)"
                />
                <span className="shrink-0 text-text-2">{text(`merge.${side}`)}</span>
                <span className="min-w-0 font-mono break-all">
                  {valueText(side === 'mine' ? own : other)}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </Dialog>
  );
}

/** Shows the changes before they are saved. */
function SaveDialog({
  open,
  changes,
  isBusy,
  onClose,
  onSave,
}: {
  open: boolean;
  changes: readonly Change[];
  isBusy: boolean;
  onClose: () => void;
  onSave: () => void;
}) {
  const text = useText('settings');
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text('save.title', { count: changes.length })}
      wide
      actions={
        <>
          <Button onClick={onClose}>{text('save.back')}</Button>
          <Button variant="solid" isBusy={isBusy} onClick={onSave}>
            {text('save.submit', { count: changes.length })}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-body text-text-2">{text('save.effect')}</p>
      <ul className="flex flex-col gap-3">
        {changes.map(({ path, before, after }) => (
          <li key={path.join('\n')} className="text-table">
            <p className="font-medium break-words">{pathText(path)}</p>
            {before === undefined ? null : (
              <p className="rounded-control bg-failed-tint px-2 py-0.5 font-mono break-all text-failed">
                <span aria-hidden>− </span>
                <span className="sr-only">{text('save.before')} </span>
                {valueText(before)}
              </p>
            )}
            {after === undefined ? null : (
              <p className="rounded-control bg-done-tint px-2 py-0.5 font-mono break-all text-done">
                <span aria-hidden>+ </span>
                <span className="sr-only">{text('save.after')} </span>
                {valueText(after)}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
