import { Page } from '../../kit/page.tsx';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { ChangeEmail } from './change-email.tsx';
import { ChangePassword } from './change-password.tsx';
import { Preferences } from './preferences.tsx';
import { Profile } from './profile.tsx';

/** What concerns the user’s account and this browser. */
export function AccountPage() {
  const text = useText('account');
  const { email, role } = useSession();
  return (
    <Page title={text('title')} lead={text('lead', { email, role: text(`role.${role}`) })}>
      <div className="flex max-w-[40rem] flex-col gap-8">
        <ChangePassword />
        <ChangeEmail />
        <Profile />
        <Preferences />
      </div>
    </Page>
  );
}
