import type { InstanceDefinition } from '@switchyard/contract/dispatch/settings';
import { Trash2 } from 'lucide-react';
import { IconButton } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { FieldFault } from '../use-save-settings.ts';
import { SettingInput, typedNumber } from './setting-input.tsx';

/** The address and the weight of one instance. */
export function InstanceFields({
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
