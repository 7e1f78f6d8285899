import type { ZipSelection } from '@switchyard/client/files';
import { type ArchiveForm, maxNamePattern, namePart, nameTokens } from '@switchyard/contract/dispatch/file';
import { useState } from 'react';
import { Checkbox } from '../../../kit/checkbox.tsx';
import { Field } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { saveAddress, saveFile } from '../../../lib/save-file.ts';
import { storedText } from '../../../lib/stored-text.ts';

const known = nameTokens.map((token) => `{${token}}`);
const stored = storedText('switchyard.downloads');

/** Asks how files are saved as one archive. This browser keeps the answers. */
export function DownloadDialog({
  of,
  count,
  onClose,
}: {
  of: ZipSelection;
  count: number;
  onClose: () => void;
}) {
  const text = useText('gallery');
  const [form, setForm] = useState(() => formIn(stored.read()));
  const parts = known.join(' ');
  const given = (form.names?.match(new RegExp(namePart, 'g')) ?? []).find((token) => !known.includes(token));
  const submit = async () => {
    stored.set(JSON.stringify(form));
    await save(of, form);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text('download.title', { count })}
      submit={text('download.submit')}
      onSubmit={submit}
      disabled={given !== undefined}
    >
      <Field
        label={text('download.names')}
        hint={given === undefined && text('download.namesHint', { parts })}
        error={given && text('download.unknown', { given, parts })}
      >
        <TextInput
          value={form.names ?? ''}
          maxLength={maxNamePattern}
          placeholder="{workflow}-{date}-{seed}-{n}"
          onChange={({ target: { value } }) => setForm({ ...form, names: value })}
        />
      </Field>
      <Checkbox
        label={text('download.recipes')}
        checked={form.recipes ?? false}
        onChange={(recipes) => setForm({ ...form, recipes })}
      />
      <div className="flex flex-col gap-1">
        <Checkbox
          label={text('download.strip')}
          checked={form.strip !== undefined}
          onChange={(isOn) => setForm({ ...form, strip: isOn ? 'metadata' : undefined })}
        />
        <p className="text-meta text-text-2">{text('download.stripHint')}</p>
      </div>
    </FormDialog>
  );
}

type Choices = { [Choice in keyof ArchiveForm]?: ArchiveForm[Choice] | undefined };

/** A browser may hold anything under the key. */
function formIn(text: string | null): Choices {
  try {
    const { names, recipes, strip } = JSON.parse(text ?? '{}') as Record<string, unknown>;
    return {
      ...(typeof names === 'string' && { names: names.slice(0, maxNamePattern) }),
      recipes: recipes === true,
      ...(strip === 'metadata' && { strip }),
    };
  } catch {
    return {}; // what cannot be read is no choice
  }
}

/** Files of a filter are saved by the browser while the gateway packs them, whatever their size. */
async function save(of: ZipSelection, { names, recipes, strip }: Choices): Promise<void> {
  const form = { ...(names?.trim() && { names }), ...(recipes && { recipes }), ...(strip && { strip }) };
  const name = `switchyard-${new Date().toISOString().slice(0, 10)}.zip`;
  if ('fileIds' in of) {
    const { stream } = await gateway.downloadZip({ ...of, ...form });
    return saveFile(name, await new Response(stream).blob());
  }
  const values = Object.entries({ ...of.filter, ...form });
  const query = values.flatMap(([key, value]) => [value].flat().map((each) => [key, String(each)]));
  saveAddress(`/api/files/zip?${new URLSearchParams(query)}`, name);
}
