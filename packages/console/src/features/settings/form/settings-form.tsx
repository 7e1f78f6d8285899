import type {
  HealthCheckDefinition,
  InstanceDefinition,
  ServerDefinition,
  SettingsInput,
} from '@switchyard/contract/dispatch/settings';
import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { FieldFault } from '../use-save-settings.ts';
import { SettingInput, typedNumber } from './setting-input.tsx';

const healthFields = ['interval', 'timeout', 'failures', 'capabilitiesInterval'] as const;

/** The servers with their instances, and how often they are looked at. */
export function SettingsForm({
  settings,
  faults,
  onChange,
}: {
  settings: SettingsInput;
  faults: readonly FieldFault[];
  onChange: (settings: SettingsInput) => void;
}) {
  const text = useText('settings');
  const { servers, healthCheck } = settings;
  const setServer = (index: number, server: ServerDefinition) =>
    onChange({ ...settings, servers: servers.map((each, at) => (at === index ? server : each)) });
  const setHealth = (name: (typeof healthFields)[number], typed: string) => {
    // A field that is left out of the JSON keeps its default; the others keep their places.
    onChange({
      ...settings,
      healthCheck: { ...healthCheck, [name]: typedNumber(typed) } as HealthCheckDefinition,
    });
  };
  return (
    <div className="flex flex-col gap-6">
      {servers.map((server, index) => (
        <ServerFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the id of a server is what is being typed
          key={index}
          path={`servers.${index}`}
          server={server}
          faults={faults}
          onChange={(next) => setServer(index, next)}
          onRemove={() => onChange({ ...settings, servers: servers.filter((_, at) => at !== index) })}
        />
      ))}
      <div>
        <Button
          icon={<Plus size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => onChange({ ...settings, servers: [...servers, newServer(servers)] })}
        >
          {text('server.add')}
        </Button>
      </div>
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="mb-2 text-lead font-semibold">{text('health.title')}</legend>
        {healthFields.map((name) => (
          <SettingInput
            key={name}
            path={`healthCheck.${name}`}
            label={text(`health.${name}`)}
            value={healthCheck[name]}
            faults={faults}
            isNumber
            onChange={(typed) => setHealth(name, typed)}
          />
        ))}
      </fieldset>
    </div>
  );
}

function newServer(servers: readonly ServerDefinition[]): ServerDefinition {
  const taken = new Set(servers.map(({ id }) => id));
  let count = servers.length + 1;
  while (taken.has(`server-${count}`)) count += 1;
  const id = `server-${count}`;
  return { id, name: id, kind: 'comfyui', instances: [{ ip: '', port: 8188 }] };
}

/** One server: its name, its tags, and the addresses of its instances. */
function ServerFields({
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

/** Returns the server with this path; without a path it has no such field. */
function withPath({ basePath: _, ...server }: ServerDefinition, basePath: string): ServerDefinition {
  return basePath === '' ? server : { ...server, basePath };
}

function tagsOf(typed: string): string[] {
  return typed
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The address and the weight of one instance. */
function InstanceFields({
  path,
  instance,
  faults,
  onChange,
  onRemove,
}: {
  path: string;
  instance: InstanceDefinition;
  faults: readonly FieldFault[];
  onChange: (instance: InstanceDefinition) => void;
  onRemove: () => void;
}) {
  const text = useText('settings');
  const { ip, port, weight } = instance;
  const setWeight = (typed: string) =>
    onChange({ ...instance, weight: typedNumber(typed) } as InstanceDefinition);
  return (
    <div className="flex items-end gap-2">
      <div className="grid min-w-0 flex-1 grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1fr)_5.5rem_4.5rem]">
        <div className="max-sm:col-span-2">
          <SettingInput
            path={`${path}.ip`}
            label={text('instance.address')}
            value={ip}
            faults={faults}
            onChange={(next) => onChange({ ...instance, ip: next.trim() })}
          />
        </div>
        <SettingInput
          path={`${path}.port`}
          label={text('instance.port')}
          value={port}
          faults={faults}
          isNumber
          onChange={(typed) => onChange({ ...instance, port: typedNumber(typed) ?? 0 })}
        />
        <SettingInput
          path={`${path}.weight`}
          label={text('instance.weight')}
          value={weight}
          faults={faults}
          isNumber
          onChange={setWeight}
        />
      </div>
      <IconButton
        label={text('instance.remove', { address: `${ip}:${port}` })}
        icon={<Trash2 size={16} strokeWidth={1.75} aria-hidden />}
        onClick={onRemove}
      />
    </div>
  );
}
