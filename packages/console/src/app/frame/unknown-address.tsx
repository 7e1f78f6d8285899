import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../lib/i18n.ts';

/** An address that the console does not know. */
export function UnknownAddress() {
  const text = useText('app');
  return (
    <Page title={text('unknown.title')}>
      <p className="text-body break-words text-text-2">
        {text('unknown.cause', { address: window.location.pathname })}
      </p>
      <div>
        <LinkButton href="/">{text('unknown.home')}</LinkButton>
      </div>
    </Page>
  );
}
