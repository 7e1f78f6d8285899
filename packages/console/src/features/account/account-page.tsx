import { Page } from '../../kit/page.tsx';
import { PreferenceMenus } from '../../kit/preferences/preference-menus.tsx';
import { Switch } from '../../kit/switch.tsx';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { shortcutChoice } from '../../lib/shortcut-choice.ts';
import { startChoiceOf } from '../../lib/start-choice.ts';
import { ChangeEmail } from './change-email.tsx';
import { ChangePassword } from './change-password.tsx';
import { Part } from './part.tsx';
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

/** Choices that this browser keeps. */
function Preferences() {
  const text = useText('account');
  const start = startChoiceOf(useSession().id);
  return (
    <Part title={text('browser.title')} lead={text('browser.lead')}>
      <div className="flex items-center gap-2">
        <span>{text('browser.looks')}</span>
        <PreferenceMenus />
      </div>
      <Switch
        label={text('browser.shortcuts')}
        checked={shortcutChoice.use() === 'on'}
        onChange={(on) => shortcutChoice.set(on ? 'on' : 'off')}
      />
      <Switch
        label={text('browser.start')}
        checked={start.use() === 'shown'}
        onChange={(on) => start.set(on ? 'shown' : 'dismissed')}
      />
    </Part>
  );
}
