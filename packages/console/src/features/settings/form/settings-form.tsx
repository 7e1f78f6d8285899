import type {
  HealthCheckDefinition,
  ServerDefinition,
  SettingsInput,
} from '@switchyard/contract/dispatch/settings';
import { Plus } from 'lucide-react';
import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { FieldFault } from '../use-save-settings.ts';
import { ServerFields } from './server-fields.tsx';
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
