import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import { useRef } from 'react';
import { useFieldAttributes } from './field.tsx';
import { classes, controlFrame, focusRing } from './parts/classes.ts';
import { layer, layerItem } from './parts/layer.ts';
import { useLandmark } from './parts/use-landmark.ts';

export interface SelectOption<Value extends string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string> {
  /** The name of the control. Inside a `Field` the label there is shown as well. */
  label: string;
  value: Value;
  options: readonly SelectOption<Value>[];
  onChange: (value: Value) => void;
  /** For a list that is read when somebody looks for it. */
  onOpenChange?: ((isOpen: boolean) => void) | undefined;
  disabled?: boolean | undefined;
  className?: string | undefined;
}

/** One choice from a list. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, onChange, onOpenChange, disabled, className } = props;
  const field = useFieldAttributes();
  const trigger = useRef<HTMLButtonElement>(null);
  const landmark = useLandmark(trigger);
  return (
    <Base.Root<Value>
      value={value}
      items={options}
      disabled={disabled}
      onOpenChange={onOpenChange}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
    >
      <Base.Trigger
        ref={trigger}
        aria-label={label}
        {...field}
        className={classes(
          controlFrame,
          focusRing,
          'inline-flex h-8 min-w-0 cursor-pointer items-center justify-between gap-2 px-2 text-body pointer-coarse:h-11',
          className,
        )}
      >
        <Base.Value className="truncate" />
        <ChevronDown size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
      </Base.Trigger>
      <Base.Portal container={landmark}>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <Base.Popup
            className={classes(
              layer,
              'max-h-[min(24rem,var(--available-height))] min-w-(--anchor-width) overflow-y-auto p-1',
            )}
          >
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} className={layerItem}>
                <span className="w-4">
                  <Base.ItemIndicator>
                    <Check size={16} strokeWidth={1.75} aria-hidden />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
