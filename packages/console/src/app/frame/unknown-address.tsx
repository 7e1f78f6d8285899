import { Link } from 'wouter';
import { useText } from '../../lib/i18n.ts';

/** An address that the console does not know. */
export function UnknownAddress() {
  const text = useText('app');
  return (
    <div className="flex flex-col gap-3 p-6">
      <h1 className="text-title font-semibold">{text('unknown.title')}</h1>
      <p className="text-body text-text-2">{text('unknown.cause', { address: window.location.pathname })}</p>
      <p>
        <Link href="/" className="text-accent underline">
          {text('unknown.home')}
        </Link>
      </p>
    </div>
  );
}
