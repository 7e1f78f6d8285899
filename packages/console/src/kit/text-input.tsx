import type { ComponentProps } from 'react';
import { useFieldAttributes } from './field.tsx';
import { classes, controlFrame, focusRing } from './parts/classes.ts';

/** One line of text. Inside a `Field` it is tied to the label; elsewhere it needs `aria-label`. */
export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <input
      {...useFieldAttributes()}
      className={classes(
        controlFrame,
        focusRing,
        'h-8 w-full min-w-0 px-2 text-body pointer-coarse:h-11 pointer-coarse:text-lead',
        className,
      )}
      {...rest}
    />
  );
}
