import type { InstanceDefinition, ServerDefinition } from '@switchyard/contract/dispatch/settings';
import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { FieldFault } from '../use-save-settings.ts';
import { InstanceFields } from './instance-fields.tsx';
import { SettingInput } from './setting-input.tsx';

/** One server: its name, its tags, and the addresses of its instances. */
export function ServerFields({
  path,
  server,
  faults,
  onChange,
  onRemove,
}: {
  path: string;
  server: ServerDefinition;
  faults: readonly FieldFault[];
  onChange: (server: ServerDefinition) => void;
  onRemove: () => void;
}) {
  const text = useText('settings');
  const { id, name, tags = [], instances, tls, headers, basePath = '' } = server;
  const setInstance = (index: number, instance: InstanceDefinition) =>
    onChange({ ...server, instances: instances.map((each, at) => (at === index ? instance : each)) });
  return (
    <fieldset className="flex flex-col gap-3 rounded-card border border-border bg-surface p-4">
      <legend className="sr-only">{text('server.legend', { name: name || id })}</legend>
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-3 sm:grid-cols-2">
          <SettingInput
            path={`${path}.id`}
            label={text('server.id')}
            value={id}
            faults={faults}
            onChange={(next) => onChange({ ...server, id: next })}
          />
          <SettingInput
            path={`${path}.name`}
            label={text('server.name')}
            value={name}
            faults={faults}
            onChange={(next) => onChange({ ...server, name: next })}
          />
        </div>
        <IconButton
          label={text('server.remove', { name: name || id })}
          icon={<Trash2 size={16} strokeWidth={1.75} aria-hidden />}
          onClick={onRemove}
        />
      </div>
      <SettingInput
        path={`${path}.tags`}
        label={text('server.tags')}
        hint={text('server.tagsHint')}
        value={tags.join(', ')}
        faults={faults}
        means={(typed) => tagsOf(typed).join(', ') === tags.join(', ')}
        onChange={(typed) => onChange({ ...server, tags: tagsOf(typed) })}
      />
      <SettingInput
        path={`${path}.basePath`}
        label={text('server.basePath')}
        hint={text('server.basePathHint')}
        value={basePath}
        faults={faults}
        onChange={(typed) => onChange(withPath(server, typed.trim()))}
      />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
        {typeof tls === 'object' ? (
          <span className="text-table text-text-2">{text('server.tlsInJson')}</span>
        ) : (
          <Switch
            label={text('server.tls')}
            checked={tls === true}
            onChange={(next) => onChange({ ...server, tls: next })}
          />
        )}
        {headers && Object.keys(headers).length > 0 ? (
          <span className="text-table text-text-2">
            {text('server.headers', { count: Object.keys(headers).length })}
          </span>
        ) : null}
      </div>
      <ul className="flex flex-col gap-3">
        {instances.map((instance, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the address of an instance is what is being typed
          <li key={index}>
            <InstanceFields
              path={`${path}.instances.${index}`}
              instance={instance}
              faults={faults}
              onChange={(next) => setInstance(index, next)}
              onRemove={() => onChange({ ...server, instances: instances.filter((_, at) => at !== index) })}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button
          size="s"
          icon={<Plus size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => onChange({ ...server, instances: [...instances, { ip: '', port: 8188 }] })}
        >
          {text('instance.add')}
        </Button>
      </div>
    </fieldset>
  );
}

/** Without a path, the server has no such field. */
function withPath({ basePath: _, ...server }: ServerDefinition, basePath: string): ServerDefinition {
  return basePath === '' ? server : { ...server, basePath };
}

function tagsOf(typed: string): string[] {
  return typed
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
