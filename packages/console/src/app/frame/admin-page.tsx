import { Page } from '../../kit/page.tsx';
import { useText } from '../../lib/i18n.ts';

/** In the place of a page that administrators alone have. */
export function AdminPage() {
  const text = useText('app');
  return (
    <Page title={text('adminOnly.title')}>
      <p className="text-body text-text-2">{text('adminOnly.cause')}</p>
    </Page>
  );
}
