import type { Instance } from '@switchyard/contract/dispatch/instance';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { memoryOf } from '../instance-state.ts';

/** The devices by name, and how much of their memory is used. */
export function DeviceMemory({ instance }: { instance: Instance }) {
  const text = useText('instances');
  const format = useFormat();
  const memory = memoryOf(instance);
  const names = [...new Set(instance.devices.map(({ name }) => name))];
  if (names.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-table">
      <p className="flex items-center justify-between gap-3">
        <span className="min-w-0 truncate" title={format.list(names)}>
          {format.list(names)}
        </span>
        {memory === null ? null : (
          <span className="shrink-0 text-text-2 tabular-nums">
            {text('card.memory', {
              used: format.bytes(memory.usedBytes),
              total: format.bytes(memory.totalBytes),
            })}
          </span>
        )}
      </p>
      {memory === null ? null : (
        // biome-ignore lint/a11y/useSemanticElements: the meter of the browser cannot be drawn in our colours
        <div
          role="meter"
          aria-label={text('card.memoryLabel')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(memory.percent)}
          className="h-1 overflow-hidden rounded-full bg-sunken forced-colors:border"
        >
          <div
            className="h-full rounded-full bg-text-3 forced-colors:bg-[Highlight]"
            style={{ width: `${memory.percent}%` }}
          />
        </div>
      )}
    </div>
  );
}
