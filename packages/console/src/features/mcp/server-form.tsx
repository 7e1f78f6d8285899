import { type McpServerInput, putMcpConfig } from '@switchyard/contract/conversation/mcp';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { Select } from '../../kit/select.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { linesOf, parseLines } from '../../lib/secret-lines.ts';
import { mcpKey, type NamedServer } from './mcp-query.ts';
import { readServers } from './read-servers.ts';

interface Draft {
  name: string;
  type: 'http' | 'stdio';
  url: string;
  command: string;
  secrets: string;
  description: string;
}

/** Adds or changes a server. Secrets are written, and never shown again. */
export function ServerForm({
  named,
  onClose,
}: {
  /** The server to change; without it a new one is added. */
  named?: NamedServer;
  onClose: () => void;
}) {
  const text = useText('mcp');
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => draftOf(named));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const isHttp = draft.type === 'http';
  const { faults } = parseLines(draft.secrets);
  const save = async () => {
    const servers: Record<string, McpServerInput> = await readServers();
    if (!named && Object.hasOwn(servers, draft.name))
      throw new Error(text('form.taken', { name: draft.name }));
    const body = {
      mcp_servers: { ...servers, [draft.name]: { ...servers[draft.name], ...serverOf(draft) } },
    };
    await gateway.call(putMcpConfig, { body });
    await queries.invalidateQueries({ queryKey: mcpKey });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={named ? text('edit.title', { name: named.name }) : text('add')}
      submit={text(named ? 'edit.submit' : 'submit')}
      onSubmit={save}
      disabled={draft.name === '' || (isHttp ? draft.url : draft.command).trim() === '' || faults.length > 0}
    >
      <Field label={text('form.name')} hint={text('form.nameHint')}>
        <TextInput
          required
          pattern="[A-Za-z0-9_\-]{1,48}"
          disabled={named !== undefined}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Field label={text('form.type')}>
        <Select
          label={text('form.type')}
          value={draft.type}
          options={(['http', 'stdio'] as const).map((value) => ({
            value,
            label: text(`form.types.${value}`),
          }))}
          onChange={(type) => set({ type })}
        />
      </Field>
      {isHttp ? (
        <Field label={text('form.url')}>
          <TextInput
            type="url"
            required
            placeholder="https://example.org/mcp"
            value={draft.url}
            onChange={(event) => set({ url: event.target.value })}
          />
        </Field>
      ) : (
        <Field label={text('form.command')} hint={text('form.commandHint')}>
          <TextArea
            required
            spellCheck={false}
            className="font-mono"
            value={draft.command}
            onChange={(event) => set({ command: event.target.value })}
          />
        </Field>
      )}
      <Field
        label={text(isHttp ? 'form.headers' : 'form.env')}
        hint={text('form.secretsHint')}
        error={faults.length > 0 ? text('form.fault', { lines: faults.join(', ') }) : undefined}
      >
        <TextArea
          spellCheck={false}
          autoComplete="off"
          className="font-mono"
          value={draft.secrets}
          onChange={(event) => set({ secrets: event.target.value })}
        />
      </Field>
      <Field label={text('form.description')}>
        <TextInput value={draft.description} onChange={(event) => set({ description: event.target.value })} />
      </Field>
    </FormDialog>
  );
}

function draftOf(named: NamedServer | undefined): Draft {
  if (!named) return { name: '', type: 'http', url: '', command: '', secrets: '', description: '' };
  const { name, server } = named;
  return {
    name,
    type: server.type,
    url: server.url ?? '',
    command: [server.command, ...server.args].filter(Boolean).join('\n'),
    secrets: linesOf(server.type === 'http' ? server.headers : server.env),
    description: server.description,
  };
}

/** The first line is the command, each further line one argument. */
function serverOf({ type, url, command, secrets, description }: Draft): McpServerInput {
  const { secrets: values } = parseLines(secrets);
  if (type === 'http') {
    return { type, url: url.trim(), command: null, args: [], headers: values, env: {}, description };
  }
  const [program = '', ...args] = command.split('\n').filter((line) => line !== '');
  return { type, url: null, command: program.trim(), args, env: values, headers: {}, description };
}
