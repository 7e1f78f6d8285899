import type { Environment } from '@switchyard/contract/accounts/account';
import { classes } from '../../kit/parts/classes.ts';
import { useText } from '../../lib/i18n.ts';

const looks: Record<Environment['color'], string> = {
  grey: 'bg-off-tint text-off',
  blue: 'bg-running-tint text-running',
  green: 'bg-done-tint text-done',
  amber: 'bg-waiting-tint text-waiting',
  red: 'bg-failed-tint text-failed',
  violet: 'bg-paused-tint text-paused',
};

interface EnvironmentBadgeProps {
  environment: Environment;
  className: string;
}

/** What the operator calls this gateway, so that it is not taken for another. */
export function EnvironmentBadge({ environment: { name, color }, className }: EnvironmentBadgeProps) {
  const text = useText('app');
  return (
    <p
      title={text('environment', { name })}
      className={classes(
        'truncate px-2 text-center text-meta font-medium forced-colors:border',
        looks[color],
        className,
      )}
    >
      <span className="sr-only">{text('environment', { name: '' })}</span>
      {name}
    </p>
  );
}
