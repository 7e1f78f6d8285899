import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import { classes, focusRing } from './parts/classes.ts';

export type ButtonVariant = 'solid' | 'quiet' | 'plain' | 'danger';
export type ButtonSize = 'm' | 's';

interface Look {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  icon?: ReactNode;
}

interface Work {
  /** True while a click has to wait, such as for the work that the last one began: the button keeps the focus. */
  isBusy?: boolean | undefined;
}

export type ButtonProps = ComponentProps<'button'> & Look & Work;

const looks: Record<ButtonVariant, string> = {
  solid: 'border-transparent bg-accent-solid text-on-accent hover:brightness-110',
  quiet: 'border-control bg-surface text-text hover:bg-sunken',
  plain: 'border-transparent bg-transparent text-text hover:bg-sunken',
  danger: 'border-failed bg-surface text-failed hover:bg-failed-tint',
};

const sizes: Record<ButtonSize, string> = {
  m: 'h-8 px-3 text-body pointer-coarse:h-11',
  s: 'h-7 px-2 text-table pointer-coarse:h-11',
};

const base =
  'inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap transition-colors duration-120 select-none disabled:cursor-default disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50 motion-reduce:transition-none [&>svg]:shrink-0';

function look({ variant = 'quiet', size = 'm' }: Look): string {
  return classes(base, focusRing, looks[variant], sizes[size]);
}

/** A browser takes the focus from a button that is `disabled`, so one that is busy ignores clicks and Enter instead. */
function whileBusy(isBusy: boolean | undefined) {
  return isBusy ? { 'aria-disabled': true, onClick: (event: MouseEvent) => event.preventDefault() } : {};
}

/** A button with a verb and its object. */
export function Button(props: ButtonProps) {
  const { variant, size, icon, isBusy, className, children, type = 'button', ...rest } = props;
  return (
    <button
      type={type}
      className={classes(look({ variant, size }), className)}
      {...rest}
      {...whileBusy(isBusy)}
    >
      {icon}
      {children}
    </button>
  );
}

export type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> &
  Work & {
    label: string;
    icon: ReactNode;
    variant?: ButtonVariant | undefined;
  };

/** A square button; `label` is its name for everybody who does not see the icon. */
export function IconButton({
  label,
  icon,
  variant = 'plain',
  isBusy,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={classes(base, focusRing, looks[variant], 'size-8 pointer-coarse:size-11', className)}
      {...rest}
      {...whileBusy(isBusy)}
    >
      {icon}
    </button>
  );
}

export type LinkButtonProps = Look & {
  href: string;
  children: ReactNode;
  className?: string | undefined;
  newTab?: boolean | undefined;
  'aria-label'?: string | undefined;
};

/** A link that looks like a button, for what leads to another page. */
export function LinkButton({
  href,
  children,
  variant,
  size,
  icon,
  className,
  newTab,
  'aria-label': label,
}: LinkButtonProps) {
  const name = classes(look({ variant, size }), className);
  if (newTab) {
    return (
      <a href={href} target="_blank" rel="noopener noreferrer" className={name} aria-label={label}>
        {icon}
        {children}
      </a>
    );
  }
  return (
    <Link href={href} className={name} aria-label={label}>
      {icon}
      {children}
    </Link>
  );
}
