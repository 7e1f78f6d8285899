import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { useText } from '../../lib/i18n.ts';
import { SettingsEditor } from './settings-editor.tsx';
import { settingsQuery } from './settings-query.ts';

/** The servers and the health check, as a form and as JSON. */
export function SettingsPage() {
  const text = useText('settings');
  const query = useQuery(settingsQuery());
  return (
    <Page
      title={text('title')}
      lead={query.data ? text('lead', { version: query.data.version }) : undefined}
      actions={<LinkButton href="/audit?action=settings.replaced">{text('history')}</LinkButton>}
    >
      <QueryView query={query}>
        {(settings) => <SettingsEditor key={settings.version} settings={settings} />}
      </QueryView>
    </Page>
  );
}
