import { changeEmail, changePassword } from '@switchyard/contract/accounts/session';
import { getUserProfile, maxProfileLength, putUserProfile } from '@switchyard/contract/conversation/profile';
import {
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { FormError } from '../../kit/forms/form-error.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Page } from '../../kit/page.tsx';
import { PreferenceMenus } from '../../kit/preferences/preference-menus.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { Switch } from '../../kit/switch.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { useToast } from '../../kit/toast.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { sessionQuery } from '../../lib/session-query.ts';
import { shortcutChoice } from '../../lib/shortcut-choice.ts';
import { startChoiceOf } from '../../lib/start-choice.ts';
import { ConnectedClients } from './connected-clients.tsx';

const profileQuery = queryOptions({
  queryKey: ['user-profile'],
  queryFn: ({ signal }) => gateway.call(getUserProfile, { signal }),
});

const minPasswordLength = 8;

/** The settings of the user's account and of this browser. */
export function AccountPage() {
  const text = useText('account');
  const { email, role } = useSession();
  return (
    <Page title={text('title')} lead={text('lead', { email, role: text(`role.${role}`) })}>
      <div className="flex max-w-[40rem] flex-col gap-8">
        <ChangePassword />
        <ChangeEmail />
        <Profile />
        <Part title={text('clients.title')} lead={text('clients.lead')}>
          <ConnectedClients />
        </Part>
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

function ChangePassword() {
  const text = useText('account');
  const toast = useToast();
  const { email } = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () =>
      gateway.call(changePassword, { body: { current_password: current, new_password: next } }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      toast({ text: text('password.done') });
    },
  });
  return (
    <ChangeForm subject="password" change={change}>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <CurrentPassword value={current} onChange={setCurrent} />
      <Field label={text('password.new')} hint={text('password.rules')}>
        <TextInput
          type="password"
          autoComplete="new-password"
          required
          minLength={minPasswordLength}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
      </Field>
    </ChangeForm>
  );
}

/** The text about the user that every agent receives. */
function Profile() {
  const text = useText('account');
  const profile = useQuery(profileQuery);
  return (
    <Part title={text('profile.title')} lead={text('profile.lead')}>
      <QueryView query={profile}>{({ content }) => <ProfileForm stored={content ?? ''} />}</QueryView>
    </Part>
  );
}

function ProfileForm({ stored }: { stored: string }) {
  const text = useText('account');
  const { act, isBusy } = useAct();
  const [content, setContent] = useState(stored);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    await act(() => gateway.call(putUserProfile, { body: { content } }), {
      done: text('profile.done'),
      refresh: [profileQuery.queryKey],
    });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
      <Field label={text('profile.label')} hint={text('profile.hint')}>
        <TextArea
          rows={5}
          maxLength={maxProfileLength}
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
      </Field>
      <Button type="submit" className="self-start" isBusy={isBusy}>
        {text('profile.submit')}
      </Button>
    </form>
  );
}

function ChangeEmail() {
  const text = useText('account');
  const toast = useToast();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () =>
      gateway.call(changeEmail, { body: { new_email: email.trim(), current_password: password } }),
    onSuccess: async (account) => {
      queries.setQueryData(sessionQuery.queryKey, (known) => known && { ...known, ...account });
      setEmail('');
      setPassword('');
      toast({ text: text('email.done', { email: account.email }) });
    },
  });
  return (
    <ChangeForm subject="email" change={change}>
      <Field label={text('email.new')}>
        <TextInput
          type="email"
          autoComplete="email"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <CurrentPassword value={password} onChange={setPassword} />
    </ChangeForm>
  );
}

/** A part of the page that changes how the user signs in. */
function ChangeForm({
  subject,
  change,
  children,
}: {
  subject: 'password' | 'email';
  change: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'error'>;
  children: ReactNode;
}) {
  const text = useText('account');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Part title={text(`${subject}.title`)} lead={text(`${subject}.lead`)}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {change.error && <FormError error={change.error} />}
        <Button type="submit" className="self-start" isBusy={change.isPending}>
          {text(`${subject}.submit`)}
        </Button>
      </form>
    </Part>
  );
}

function CurrentPassword({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const text = useText('account');
  return (
    <Field label={text('password.current')}>
      <TextInput
        type="password"
        autoComplete="current-password"
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** One part of the page. */
function Part({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <div className="border-b border-border pb-1">
        <h2 id={id} className="text-lead font-semibold">
          {title}
        </h2>
        <p className="text-table text-text-2">{lead}</p>
      </div>
      {children}
    </section>
  );
}
