import { getUserProfile, maxProfileLength, putUserProfile } from '@switchyard/contract/conversation/profile';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Part } from './part.tsx';

const profileQuery = queryOptions({
  queryKey: ['user-profile'],
  queryFn: ({ signal }) => gateway.call(getUserProfile, { signal }),
});

/** What every agent is told of the user. */
export function Profile() {
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
  const { act } = useAct();
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
      <Button type="submit" className="self-start" disabled={content === stored}>
        {text('profile.submit')}
      </Button>
    </form>
  );
}
